--- Small pieces of C text.

local c_text = {}

--- The sum of terms (C texts and numbers); false and 0 are left out.
function c_text.sum(...)
  local terms = {}
  for i = 1, select("#", ...) do
    local term = select(i, ...)
    if term and term ~= 0 then terms[#terms + 1] = tostring(term) end
  end
  return table.concat(terms, " + ")
end

--- Whether a text is a name and nothing else.
function c_text.is_name(text) return text:match("^[%a_][%w_]*$") ~= nil end

return c_text
