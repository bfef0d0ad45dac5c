# Made by:   ${command}
# To be included. Set ${p}DIR to the directory of the emitted files before that, and NORMGEN to the command.
# The stamp is newer than everything read; an emitted file is touched only if its text changes.

${p}DIR ?= .
NORMGEN ?= normgen

${p}SOURCES := $(addprefix $(${p}DIR)/, \
  ${sources}
  )
${p}HEADERS := $(addprefix $(${p}DIR)/, \
  ${headers}
  )
${p}STAMP := $(${p}DIR)/${p}kernels.stamp

$(${p}SOURCES) $(${p}HEADERS): $(${p}STAMP) ;
$(${p}STAMP): $(lastword $(MAKEFILE_LIST)) ; $(NORMGEN) ${emit} -o $(${p}DIR) --depfile $@.d --stamp $@
-include $(${p}STAMP).d
