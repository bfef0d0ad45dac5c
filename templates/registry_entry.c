    { "${name}", "${target}", "${spec}",
      "${schedule}",
      ${h}, ${read}, ${write}, ${parameters}, sizeof ${p}args_${signature} / sizeof ${p}args_${signature}[0], ${p}args_${signature},
      (void (*)(void))${symbol}, ${p}invoke_${name}_${target}, ${p}runs_${target} },
