--- Dtypes in memory: their size and the C type by which they travel.

local dtype = {
  f32 = { name = "f32", bytes = 4, ctype = "float" },
  f64 = { name = "f64", bytes = 8, ctype = "double" },
  bf16 = { name = "bf16", bytes = 2, ctype = "uint16_t" },
  s8 = { name = "s8", bytes = 1, ctype = "int8_t" },
  u8 = { name = "u8", bytes = 1, ctype = "uint8_t" },
  e4m3 = { name = "e4m3", bytes = 1, ctype = "uint8_t" },
  f16 = { name = "f16", bytes = 2, ctype = "uint16_t" },
}

return dtype
