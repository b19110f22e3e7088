#define ACT s8
#define PART dpl_concat_part
#include "typed_arguments.h"
