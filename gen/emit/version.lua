--- The version of the generator. The contract has its own number, in gen/contract.lua.
return "0.1.0"
