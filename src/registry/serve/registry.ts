import type { ContentStore } from "../containerd/content-store.ts";
import type { Info } from "../containerd/services.ts";

/** What the routes of a registry share. */
export interface Registry {
  readonly store: ContentStore;
  /** The registry in the names of images: localhost:5001. */
  readonly host: string;
}

/** containerd's label of the repositories from which content came, by the registry. */
export const sourceLabel = ({ host }: Registry): string =>
  `containerd.io/distribution.source.${host}`;

/** The label of a manifest that is about another one. */
export const subjectLabel = "k8ts.dev/registry.subject";

/** Content of a repository; undefined if the repository has none with the digest, whatever else the runtime has. */
export async function contentOf(
  registry: Registry,
  repository: string,
  digest: string,
): Promise<Info | undefined> {
  const info = await registry.store.info(digest);
  return info && repositoriesOf(registry, info).includes(repository) ? info : undefined;
}

const repositoriesOf = (registry: Registry, { labels }: Info): string[] =>
  (labels[sourceLabel(registry)] ?? "").split(",").filter((name) => name !== "");

/** Limit of repositories that share one piece of content (characters of their names), as containerd limits labels. */
const maxLabel = 4096 - 200;

/** Adds content to a repository. */
export async function addTo(registry: Registry, repository: string, info: Info): Promise<void> {
  const found = repositoriesOf(registry, info);
  if (found.includes(repository)) return;
  const all = [...found, repository];
  while (all.join(",").length > maxLabel) all.shift();
  await registry.store.setLabel(info, sourceLabel(registry), all.join(","));
}

/** Takes content from a repository; others keep it. */
export async function removeFrom(
  registry: Registry,
  repository: string,
  info: Info,
): Promise<void> {
  const rest = repositoriesOf(registry, info).filter((name) => name !== repository);
  await registry.store.setLabel(info, sourceLabel(registry), rest.join(","));
}

/** The names of images of a repository, for a reference: a tag or a digest. */
export const imageName = ({ host }: Registry, repository: string, reference: string): string =>
  `${host}/${repository}${reference.includes(":") ? "@" : ":"}${reference}`;

/** All bytes of content; throws if it is larger than a limit. */
export async function contentBytes(
  { store }: Registry,
  { digest, size }: Info,
  limit: number,
): Promise<Buffer> {
  if (size > limit) throw new Error(`${digest} has more than ${limit} bytes`);
  const chunks: Buffer[] = [];
  for await (const chunk of store.read(digest)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
