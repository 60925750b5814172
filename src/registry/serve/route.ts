import { isDigest, isRepository, isTag } from "../model/names.ts";
import { RegistryError } from "../model/registry-error.ts";

/** What a path of the distribution API is about. */
export type Route =
  | { readonly kind: "root" | "catalog" }
  | { readonly kind: "uploads" | "tags"; readonly repository: string }
  | { readonly kind: "upload"; readonly repository: string; readonly id: string }
  | { readonly kind: "blob" | "referrers"; readonly repository: string; readonly digest: string }
  | { readonly kind: "manifest"; readonly repository: string; readonly reference: string };

const idPattern = /^[0-9a-f-]{36}$/;

/** The route of a path; undefined if there is none. Throws RegistryError for names that can't be. */
export function routeOf(path: string): Route | undefined {
  if (path === "/v2" || path === "/v2/") return { kind: "root" };
  if (path === "/v2/_catalog") return { kind: "catalog" };
  const match =
    /^\/v2\/(.+?)\/(blobs\/uploads\/?|blobs\/uploads\/([^/]+)|tags\/list|(blobs|manifests|referrers)\/([^/]+))$/.exec(
      path,
    );
  if (!match) return undefined;
  const [, repository = "", what = "", id, of, name = ""] = match;
  if (!isRepository(repository)) {
    throw new RegistryError("NAME_INVALID", `"${repository}" is no name of a repository`);
  }
  if (/^blobs\/uploads\/?$/.test(what)) return { kind: "uploads", repository };
  if (what === "tags/list") return { kind: "tags", repository };
  if (id !== undefined) {
    if (idPattern.test(id)) return { kind: "upload", repository, id };
    throw new RegistryError("BLOB_UPLOAD_UNKNOWN", `there is no upload ${id}`);
  }
  if (of === "manifests") return manifestRoute(repository, name);
  if (!isDigest(name)) throw new RegistryError("DIGEST_INVALID", `"${name}" is no sha256 digest`);
  return { kind: of === "referrers" ? "referrers" : "blob", repository, digest: name };
}

function manifestRoute(repository: string, reference: string): Route {
  if (isTag(reference) || isDigest(reference)) return { kind: "manifest", repository, reference };
  const code = reference.includes(":") ? "DIGEST_INVALID" : "MANIFEST_UNKNOWN";
  throw new RegistryError(code, `"${reference}" is neither a tag nor a digest`);
}
