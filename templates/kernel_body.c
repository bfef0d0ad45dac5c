${guards}

/* May stand in front of the declaration, for example as __attribute__((visibility("hidden"))). */
#ifndef ${macro}API
#define ${macro}API
#endif

#ifdef __cplusplus
extern "C" {
#endif
${declaration}
#ifdef __cplusplus
}
#endif

${includes}

${code}
