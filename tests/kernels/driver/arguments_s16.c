#define ACT s16
#define PART dpl_concat_part_s16
#include "typed_arguments.h"
