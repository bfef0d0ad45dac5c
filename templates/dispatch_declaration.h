/* The target that the kernels without a target in their name use here, "none" if no target fits. */
${macro}API const char *${p}target(void);
