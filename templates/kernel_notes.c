 * ${title}: ${formula}, ${cites}.
 * Spec:      ${spec}
 * Contract:  ${contract}
 * Schedule:  ${schedule}
 * Passes:    ${passes}
 * Bytes:     reads ${read} and writes ${write} per row, reads ${parameters} of parameters
