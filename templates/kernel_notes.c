 * ${title}: ${formula}, ${cites}.
 * Spec:      ${spec}
 * Contract:  ${contract}
${schedule}
 * Passes:    ${passes}
 * Bytes:     ${bytes}
