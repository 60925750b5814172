/** The media types in which objects are read and written, in the order of upstream's messages. */
export type MediaType =
  | "application/json"
  | "application/yaml"
  | "application/vnd.kubernetes.protobuf";

export const mediaTypes: readonly MediaType[] = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
];

/** The media types of custom resources, which have no protobuf form. */
export const customMediaTypes: readonly MediaType[] = ["application/json", "application/yaml"];

/** The media types of watches; YAML has no frames. Upstream serves application/cbor-seq behind a gate that is off. */
export const watchMediaTypes: readonly string[] = [
  "application/json;stream=watch",
  "application/vnd.kubernetes.protobuf;stream=watch",
];

/** The patch types, in the order of upstream's messages. */
export type PatchType =
  | "application/json-patch+json"
  | "application/merge-patch+json"
  | "application/strategic-merge-patch+json"
  | "application/apply-patch+yaml";

export const patchTypes: readonly PatchType[] = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
];

/** The patch types of custom resources; their schema has no strategic merge rules. */
export const customPatchTypes: readonly PatchType[] = patchTypes.filter(
  (type) => type !== "application/strategic-merge-patch+json",
);

const token = "[\\w!#$%&'*+.^`|~-]+";
const parameter = `\\s*;\\s*(?:${token})\\s*=\\s*(?:${token}|"(?:[^"\\\\]|\\\\.)*")`;
const contentTypeSyntax = new RegExp(`^\\s*(${token}/${token})(?:${parameter})*\\s*;?\\s*$`);

/**
 * The media type of a body, without parameters: the first one offered if the request has none,
 * undefined if it is not offered or malformed.
 */
export function bodyMediaType<T extends string>(
  contentType: string | undefined,
  offered: readonly T[],
): T | undefined {
  if (contentType === undefined || contentType === "") return offered[0];
  const [, type = ""] = contentTypeSyntax.exec(contentType) ?? [];
  return offered.find((known) => known === type.toLowerCase());
}

/** The patch type of a body; only the text before a semicolon counts. */
export function bodyPatchType(
  contentType: string | undefined,
  offered: readonly PatchType[],
): PatchType | undefined {
  const type = contentType?.replace(/(?<=.);.*/s, "");
  return offered.find((known) => known === type);
}
