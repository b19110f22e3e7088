#define ACT f32
#define PART dpl_concat_part_f32
#define REAL
#include "typed_arguments.h"
