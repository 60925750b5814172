import type { ProjectedVolumeSource, Volume, VolumeProjection } from "#/api/core/v1.ts";
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

/** Each file with every earlier one that is equal to it, above it or below it. */
function overlaps(files: readonly VirtualFile[]): string[] {
  const seen: VirtualFile[] = [];
  return files.flatMap((given) => {
    const file = { ...given, path: given.path.replace(/\/+$/, "") };
    const others = file.path === "" ? [] : seen.filter((other) => isNested(file.path, other.path));
    seen.push(file);
    return others.map((other) => `${formatFile(file)} with ${formatFile(other)}`);
  });
}

function isNested(a: string, b: string): boolean {
  return b !== "" && (`${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`));
}

const formatFile = ({ path, source }: VirtualFile): string =>
  source === "" ? goQuote(path) : `${goQuote(path)} (${source})`;
