import type { ProjectedVolumeSource, Volume, VolumeProjection } from "#/api/core/v1.ts";
import { append } from "#/std/base/append.ts";
import { goQuote } from "#/std/go/go-quote.ts";

/** Upstream: pkg/api/pod/warnings.go. */

/** A file of a volume, and its source ("" if the source is clear). */
interface VirtualFile {
  readonly path: string;
  readonly source: string;
}

/** Warnings about overlapping files in volumes. */
export function overlapWarnings(volumes: readonly Volume[] | undefined): string[] {
  return (volumes ?? []).flatMap((volume) => {
    const { name, configMap, secret, downwardAPI, projected } = volume;
    if (!configMap?.items && !secret?.items && !downwardAPI && !projected) return [];
    const of = (description: string, items: readonly { path: string }[] | undefined): string[] =>
      overlaps(filesOf(items, "")).map((overlap) => describe(name, description, overlap));
    return [
      ...of(`ConfigMap ${goQuote(configMap?.name ?? "")}`, configMap?.items),
      ...of(`Secret ${goQuote(secret?.secretName ?? "")}`, secret?.items),
      ...of("DownwardAPI", downwardAPI?.items),
      ...(projected ? projectedOverlaps(name, projected) : []),
    ];
  });
}

const describe = (name: string, description: string, overlap: string): string =>
  `volume ${goQuote(name)} (${description}): overlapping paths: ${overlap}`;

function projectedOverlaps(name: string, { sources = [] }: ProjectedVolumeSource): string[] {
  const isEmpty = (source: VolumeProjection): boolean =>
    Object.values(source).every((one) => one === undefined);
  const empty = sources
    .filter(isEmpty)
    .map(() => `volume ${goQuote(name)} (Projected) has no sources provided`);
  const files = sources.flatMap(projectedFiles);
  return [...empty, ...overlaps(files).map((overlap) => describe(name, "Projected", overlap))];
}

function projectedFiles(source: VolumeProjection): VirtualFile[] {
  const { configMap, secret, downwardAPI, serviceAccountToken } = source;
  const { clusterTrustBundle: bundle, podCertificate: certificate } = source;
  if (configMap?.items) {
    return filesOf(configMap.items, `ConfigMap ${goQuote(configMap.name ?? "")}`);
  }
  if (secret?.items) return filesOf(secret.items, `Secret ${goQuote(secret.name ?? "")}`);
  if (downwardAPI?.items) return filesOf(downwardAPI.items, "DownwardAPI");
  if (serviceAccountToken) {
    return [{ path: serviceAccountToken.path, source: "ServiceAccountToken" }];
  }
  if (bundle) {
    const name = goQuote(bundle.name ?? bundle.signerName ?? "");
    return [{ path: bundle.path, source: `ClusterTrustBundle ${name}` }];
  }
  if (certificate === undefined) return [];
  return [
    { path: certificate.certificateChainPath ?? "", source: "PodCertificate chain" },
    { path: certificate.keyPath ?? "", source: "PodCertificate key" },
    { path: certificate.credentialBundlePath ?? "", source: "PodCertificate credential bundle" },
  ].filter(({ path }) => path !== "");
}

const filesOf = (
  items: readonly { readonly path: string }[] | undefined,
  source: string,
): VirtualFile[] => (items ?? []).map(({ path }) => ({ path, source }));

/** Limit of the overlaps of one volume that are listed: the Warning headers have room for fewer. */
const maxOverlaps = 4096;

/** Each file with every earlier one that is equal to it, above it or below it. */
function overlaps(files: readonly VirtualFile[]): string[] {
  const tree = new FileTree();
  const found: string[] = [];
  for (const [index, { path }] of files.entries()) {
    const file = tree.add(withoutLastSlashes(path), index);
    for (const other of file.toSorted((a, b) => a - b)) {
      if (found.length === maxOverlaps) return found;
      found.push(`${formatFile(files[index])} with ${formatFile(files[other])}`);
    }
  }
  return found;
}

/** Paths by their parts. */
class FileTree {
  readonly #parts = new Map<string, FileTree>();
  /** The files at this path, and all that are below it; not more than are listed. */
  readonly #here: number[] = [];
  readonly #below: number[] = [];

  /** Adds a file and returns those at its path, above it and below it. */
  add(path: string, file: number): number[] {
    if (path === "") return [];
    const found: number[] = [];
    let tree: FileTree = this;
    for (const part of path.split("/")) {
      for (const other of tree.#here) found.push(other);
      push(tree.#below, file);
      tree = tree.#child(part);
    }
    append(found, tree.#here);
    append(found, tree.#below);
    push(tree.#here, file);
    return found;
  }

  #child(part: string): FileTree {
    const known = this.#parts.get(part);
    if (known) return known;
    const child = new FileTree();
    this.#parts.set(part, child);
    return child;
  }
}

function push(list: number[], file: number): void {
  if (list.length < maxOverlaps) list.push(file);
}

function withoutLastSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end--;
  return path.slice(0, end);
}

function formatFile(file: VirtualFile | undefined): string {
  const { path = "", source = "" } = file ?? {};
  const quoted = goQuote(withoutLastSlashes(path));
  return source === "" ? quoted : `${quoted} (${source})`;
}
