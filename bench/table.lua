-- The kernels of docs/performance.md: both norms, plain and with a stored sum. bench/table.sh names the row counts.

local kernels = {}

local function add(dtype, lengths)
  for _, norm in ipairs { "rmsnorm", "layernorm" } do
    for _, fusion in ipairs { "", " addout" } do
      for _, h in ipairs(lengths) do
        table.insert(kernels, norm .. " " .. dtype .. " h=" .. string.format("%d", h) .. fusion)
      end
    end
  end
end

add("f32", { 64, 128, 768, 896, 2048, 4096, 8192 })
add("bf16", { 64, 128, 768, 896, 2048, 4096, 8192 })
add("f16", { 768, 2048 })

return kernels
