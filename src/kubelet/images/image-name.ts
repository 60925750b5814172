/** Upstream: pkg/util/parsers/parsers.go, github.com/distribution/reference. */

/** The default registry, and its key in credentials. */
const defaultRegistry = ["docker", "io"].join(".");
const defaultRegistryKey = `index.${defaultRegistry}`;

interface ImageName {
  /** With registry, without tag and digest: the key of credential lookups. */
  readonly repository: string;
  /** `latest` if there is neither tag nor digest. */
  readonly tag: string;
  readonly digest: string;
}

/** The name of an image is invalid. */
export class ImageNameError extends Error {
  override readonly name = "ImageNameError";
}

const domainPart = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const domain = `(?:${domainPart}(?:\\.${domainPart})*|\\[(?:[a-fA-F0-9:]+)\\])(?::[0-9]+)?`;
const pathPart = "[a-z0-9]+(?:(?:[._]|__|[-]+)[a-z0-9]+)*";
const reference = new RegExp(
  `^(?:(${domain})/)?(${pathPart}(?:/${pathPart})*)(?::([\\w][\\w.-]{0,127}))?(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$`,
);

const maxNameLength = 255;

/** Parses the name of an image. Throws ImageNameError with upstream's message. */
export function parseImageName(image: string): ImageName {
  const fail = (why: string): never => {
    throw new ImageNameError(`couldn't parse image name "${image}": ${why}`);
  };
  if (/^[a-f0-9]{64}$/.test(image)) {
    fail(`invalid repository name (${image}), cannot specify 64-byte hexadecimal strings`);
  }
  const { registry, rest } = splitRegistry(image);
  const path = /^[^:@]*/.exec(rest)?.[0] ?? "";
  if (path.toLowerCase() !== path) {
    fail("invalid reference format: repository name must be lowercase");
  }
  const match = reference.exec(`${registry}/${rest}`);
  if (!match) return fail("invalid reference format");
  const [, host = "", name = "", tag = "", digest = ""] = match;
  const repository = `${host}/${name}`;
  if (name.length > maxNameLength) fail(`repository name must not be more than 255 characters`);
  return { repository, tag: tag || (digest ? "" : "latest"), digest };
}

/** The name with `:latest` where it has neither tag nor digest. */
export function withDefaultTag(image: string): string {
  const { tag, digest } = parseImageName(image);
  return digest === "" && !image.endsWith(`:${tag}`) ? `${image}:${tag}` : image;
}

function splitRegistry(image: string): { registry: string; rest: string } {
  const at = image.indexOf("/");
  const first = image.slice(0, Math.max(0, at));
  const isHost = at >= 0 && (/[.:]/.test(first) || first === "localhost" || /[A-Z]/.test(first));
  if (!isHost) {
    return { registry: defaultRegistry, rest: image.includes("/") ? image : `library/${image}` };
  }
  const rest = image.slice(at + 1);
  if (first !== defaultRegistry && first !== defaultRegistryKey) return { registry: first, rest };
  return { registry: defaultRegistry, rest: rest.includes("/") ? rest : `library/${rest}` };
}

/** Whether an image of this name is in the default registry. */
export function isDefaultRegistry(repository: string): boolean {
  const [first = "", ...rest] = repository.split("/");
  if (first === "") return false;
  if (rest.length === 0 || first === defaultRegistry || first === defaultRegistryKey) return true;
  return !/[.:]/.test(first);
}

export { defaultRegistryKey };

/** The registry of an image, "" if its name is invalid. */
export function registryOf(image: string): string {
  try {
    return splitRegistry(parseImageName(image).repository).registry;
  } catch {
    return "";
  }
}
