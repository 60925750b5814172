import { DecodeError } from "../shape/decode-error.ts";

/**
 * Splits a file into its YAML documents at lines of three dashes, as kubectl does before it parses
 * any of them.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/yaml/decoder.go.
 */
export function splitYamlDocuments(text: string): string[] {
  const documents: string[] = [];
  let current = "";
  for (const line of text.split(/(?<=\n)/)) {
    if (!line.startsWith("---")) {
      current += line;
      continue;
    }
    const rest = line.slice(3).trim();
    if (rest !== "" && !rest.startsWith("#")) {
      throw new DecodeError(`invalid Yaml document separator: ${rest}`, "syntax");
    }
    if (current !== "") documents.push(current);
    current = "";
  }
  if (current !== "") documents.push(current);
  return documents;
}
