/** Upstream: the distribution specification of OCI 1.1. */

/** Limit of the length of a name with its registry (characters), as clients have it. */
const maxName = 255;

const part = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const repositoryPattern = new RegExp(`^${part}(?:/${part})*$`);

export const isRepository = (text: string): boolean =>
  text.length < maxName && repositoryPattern.test(text);

export const isTag = (text: string): boolean => /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/.test(text);

/** containerd stores content by this kind of digest alone. */
export const isDigest = (text: string): boolean => /^sha256:[0-9a-f]{64}$/.test(text);
