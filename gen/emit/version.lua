--- The version of the generator. The contract has its own number, in gen/formula/contract.lua.
return "0.1.0"
