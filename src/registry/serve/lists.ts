import { compareText } from "#/std/text/compare-text.ts";
import { maxManifestBytes, parseManifest } from "../model/manifest.ts";
import { RegistryError } from "../model/registry-error.ts";
import { answerJson, type Exchange } from "./exchange.ts";
import { contentBytes, contentOf, type Registry, subjectLabel } from "./registry.ts";

/** Limit of the items of one answer (count). */
const maxItems = 1000;

/** GET /v2/NAME/tags/list. */
export async function listTags(
  registry: Registry,
  exchange: Exchange,
  { repository }: { readonly repository: string },
): Promise<void> {
  const prefix = `${registry.host}/${repository}:`;
  const names = await namesUnder(registry, prefix);
  const digests =
    names.length > 0 ? [] : await namesUnder(registry, `${registry.host}/${repository}@`);
  if (names.length === 0 && digests.length === 0) {
    throw new RegistryError("NAME_UNKNOWN", `there is no repository ${repository}`);
  }
  const { items, headers } = page(
    exchange,
    names.map((name) => name.slice(prefix.length)),
  );
  answerJson(exchange, { name: repository, tags: items }, headers);
}

/** GET /v2/_catalog. */
export async function listRepositories(registry: Registry, exchange: Exchange): Promise<void> {
  const prefix = `${registry.host}/`;
  const names = await namesUnder(registry, prefix);
  const repositories = names.map((name) => name.slice(prefix.length).replace(/[:@].*$/, ""));
  const { items, headers } = page(exchange, repositories);
  answerJson(exchange, { repositories: items }, headers);
}

/** GET /v2/NAME/referrers/DIGEST: the manifests that are about another one. */
export async function listReferrers(
  registry: Registry,
  exchange: Exchange,
  { repository, digest }: { readonly repository: string; readonly digest: string },
): Promise<void> {
  const wanted = exchange.url.searchParams.get("artifactType");
  const manifests: object[] = [];
  for await (const info of registry.store.list(`labels."${subjectLabel}"==${digest}`)) {
    if (!(await contentOf(registry, repository, info.digest))) continue;
    const bytes = await contentBytes(registry, info, maxManifestBytes);
    const { mediaType, artifactType, annotations } = parseManifest(bytes, "");
    if (wanted !== null && wanted !== artifactType) continue;
    const { digest: own, size } = info;
    manifests.push({ mediaType, digest: own, size, artifactType, annotations });
    if (manifests.length >= maxItems) break;
  }
  const mediaType = "application/vnd.oci.image.index.v1+json";
  answerJson(
    exchange,
    { schemaVersion: 2, mediaType, manifests },
    {
      "content-type": mediaType,
      ...(wanted === null ? {} : { "oci-filters-applied": "artifactType" }),
    },
  );
}

async function namesUnder({ store }: Registry, prefix: string): Promise<string[]> {
  // Of the characters of names only the dot has another meaning.
  const images = await store.images(`name~=|^${prefix.replaceAll(".", "[.]")}|`);
  return images.map(({ name }) => name);
}

/** Sorted items after `last`, at most `n` of them, with a link to the next ones. */
function page(exchange: Exchange, all: readonly string[]) {
  const { searchParams, pathname } = exchange.url;
  const given = searchParams.get("n");
  const count = Math.min(
    given === null || !/^\d{1,9}$/.test(given) ? maxItems : Number(given),
    maxItems,
  );
  const last = searchParams.get("last") ?? "";
  const rest = [...new Set(all)].filter((item) => item > last).sort(compareText);
  const items = rest.slice(0, count);
  const next = encodeURIComponent(items.at(-1) ?? "");
  const hasMore = rest.length > items.length && items.length > 0;
  const headers: Record<string, string> = hasMore
    ? { link: `<${pathname}?n=${count}&last=${next}>; rel="next"` }
    : {};
  return { items, headers };
}
