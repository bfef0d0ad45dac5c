# Made by:   ${command}
set(${p}SOURCES
  ${sources}
  )
set(${p}HEADERS
  ${headers}
  )
