    { "${name}", "${target}", "${spec}",
      "${schedule}",
      ${h}, ${read}, ${write}, ${parameters}, sizeof args_${signature} / sizeof args_${signature}[0], args_${signature},
      (void (*)(void))${symbol}, invoke_${symbol}, runs_${target} },
