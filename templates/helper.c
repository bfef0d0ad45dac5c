#ifndef ${macro}
#define ${macro}
${text}
#endif

