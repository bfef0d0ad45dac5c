--- Dtypes in memory: their size and the C type by which they travel.

local dtype = {
  f32 = { name = "f32", bytes = 4, ctype = "float" },
  bf16 = { name = "bf16", bytes = 2, ctype = "uint16_t" },
}

return dtype
