#if ${guard}

${body}

#else

typedef int ${symbol}_is_for_another_architecture;

#endif
