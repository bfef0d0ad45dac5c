--- Statement trees: what lowering writes and the unparser prints.
--
-- `{ kind="def", type, name, text, constant }`, `{ kind="set", name, text }`, `{ kind="call", text }`,
-- `{ kind="array", type, name, count, columns }`, `{ kind="for", name, from, to, step, body }`, `{ kind="if", text, body }`,
-- `{ kind="else", body }` (behind an if), `{ kind="block", text, body }` (what `text` begins, a loop of another form),
-- `{ kind="rows", count, next, body }` (the loop over row blocks of the variable `row`; where `next` is a name, that variable
-- runs ahead and the body itself moves `row`), `{ kind="splice", body }`, `{ kind="note", text }`.
-- Expressions are C text: a target's words make them.

local statements = {}

--- C text of the condition that so many rows are left from the one that a variable counts.
function statements.rows_left(name, count)
  return count == 1 and name .. " < rows" or ("rows - %s >= %d"):format(name, count)
end

--- C text that moves a counter on.
function statements.advance(name, count)
  return count == 1 and "++" .. name or ("%s += %s"):format(name, tostring(count))
end

local function add_texts(body, list)
  for _, statement in ipairs(body) do
    list[#list + 1] = statement.text
    if statement.body then add_texts(statement.body, list) end
  end
  return list
end

--- The C texts in a list of statements, and in the bodies of these.
function statements.texts(body) return add_texts(body, {}) end

local Builder = {}
Builder.__index = Builder

--- A builder that appends to a list of statements and hands out names that no enclosing scope uses: `taken` are the names
-- of its scope, `below` those of scopes within it, `numbers` the last number that it gave to each hint.
function statements.builder()
  return setmetatable({ body = {}, taken = {}, below = {}, numbers = {} }, Builder)
end

function Builder:add(statement) self.body[#self.body + 1] = statement end

--- What is inserted in front of nested scopes must not bear a name of theirs, either.
local function is_taken(builder, name)
  if builder.is_splice and builder.below[name] then return true end
  while builder do
    if builder.taken[name] then return true end
    builder = builder.parent
  end
  return false
end

--- A fresh name: `hint` itself, else `hint` with the first free number.
function Builder:name(hint)
  local n, separator = self.numbers[hint] or 0, hint:find("%d$") and "_" or ""
  local name = n == 0 and hint or hint .. separator .. n
  while is_taken(self, name) do
    n = n + 1
    name = hint .. separator .. n
  end
  self.taken[name], self.numbers[hint] = true, n
  local outer = self.parent
  while outer do
    outer.below[name] = true
    outer = outer.parent
  end
  return name
end

--- Reserves names (arguments of the function).
function Builder:reserve(names)
  for _, name in ipairs(names) do self.taken[name] = true end
end

--- Defines a constant and returns its name.
function Builder:def(ctype, hint, text)
  local name = self:name(hint)
  self:add { kind = "def", type = ctype, name = name, text = text, constant = true }
  return name
end

--- Defines a variable and returns its name.
function Builder:var(ctype, hint, text)
  local name = self:name(hint)
  self:add { kind = "def", type = ctype, name = name, text = text }
  return name
end

function Builder:set(name, text) self:add { kind = "set", name = name, text = text } end
function Builder:call(text) self:add { kind = "call", text = text } end
function Builder:note(text) self:add { kind = "note", text = text } end

--- Defines an array, of arrays of `columns` elements if that is given, and returns its name.
function Builder:array(ctype, hint, count, columns)
  local name = self:name(hint)
  self:add { kind = "array", type = ctype, name = name, count = count, columns = columns }
  return name
end

--- A builder for the body of a nested statement.
function Builder:nested(statement)
  statement.body = {}
  self:add(statement)
  return setmetatable({ body = statement.body, taken = {}, below = {}, numbers = {}, parent = self }, Builder)
end

--- `for (size_t name = from; name < to; name += step)`: returns the body's builder and the counter's name.
function Builder:loop(hint, from, to, step)
  local statement = { kind = "for", from = from, to = to, step = step }
  local inner = self:nested(statement)
  statement.name = inner:name(hint)
  return inner, statement.name
end

--- `text { ... }`, a loop of a form that `loop` has not: returns the body's builder.
function Builder:block(text) return self:nested { kind = "block", text = text } end

--- `if (text)`: returns the body's builder, and with `has_else` that of the `else` behind it.
function Builder:branch(text, has_else)
  local inner = self:nested { kind = "if", text = text }
  return inner, has_else and self:nested { kind = "else" }
end

--- The loop over blocks of `count` rows: returns the body's builder.
function Builder:row_blocks(count) return self:nested { kind = "rows", count = count } end

--- The same with a counter that runs ahead of `row`: returns the body's builder and the counter's name.
function Builder:row_blocks_ahead(count)
  local statement = { kind = "rows", count = count }
  local inner = self:nested(statement)
  statement.next = inner:name("next")
  return inner, statement.next
end

--- A builder that inserts statements here, whenever they are written, and shares this builder's names.
function Builder:splice()
  local statement = { kind = "splice", body = {} }
  self:add(statement)
  return setmetatable({ body = statement.body, taken = self.taken, below = self.below, numbers = self.numbers, parent = self.parent,
    is_splice = true }, Builder)
end

return statements
