/* Which words of a spec go together. */
#ifndef NG_REFERENCE_RULES_H
#define NG_REFERENCE_RULES_H

#include "spec.h"

/* Do the words fit the norm and each other? Formats that the spec does not give are NULL here. `affine_given`: the spec
 * says it. */
int ref_words_fit(const ref_spec *spec, int affine_given);

/* Do the formats fit each other and the words? All of them are set. */
int ref_formats_fit(const ref_spec *spec);

#endif
