--- ${spec}: ${title}, ${formula}.
${notes}
define("${name}", function(kernel, call)
  return function(${arguments})
    ${scalars}
    ${arrays}
    call(${arguments})
  end
end)
