-- The common subset of LuaJIT and Lua 5.4.
std = "min"
max_line_length = 140
self = false
read_globals = { "jit", "unpack", table = { fields = { "unpack" } } }
files["specs"] = { read_globals = { "deepnorm" } }
files["tests/lua"] = { std = "min+busted" }
-- Text with holes, not Lua yet; tests/lua/bindings_spec.lua checks what emit makes of it.
exclude_files = { "templates" }
