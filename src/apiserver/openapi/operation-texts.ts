/** Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/installer.go. */
import { table } from "#/std/base/table.ts";

/** The description of an operation on a kind, or on a subresource. */
export function operationText(
  action: string,
  { kind, subresource = "", method = "" }: { kind: string; subresource?: string; method?: string },
): string | undefined {
  const of = subresource === "" ? "" : `${subresource} of `;
  const a = /^[AEIOU]/i.test(kind) ? "an" : "a";
  const instead = "deprecated: use the 'watch' parameter with a list operation instead";
  switch (action) {
    case "get":
      return `read ${of}the specified ${kind}`;
    case "list":
      return `list ${of}objects of kind ${kind}`;
    case "put":
      return `replace ${of}the specified ${kind}`;
    case "patch":
      return `partially update ${of}the specified ${kind}`;
    case "post":
      return `create ${of}${a} ${kind}`;
    case "delete":
      return `delete ${of}${a} ${kind}`;
    case "deletecollection":
      return `delete collection of ${of}${kind}`;
    case "watch":
      return `watch changes to ${of}an object of kind ${kind}. ${instead}, filtered to a single item with the 'fieldSelector' parameter.`;
    case "watchlist":
      return `watch individual changes to a list of ${of}${kind}. ${instead}.`;
    case "connect":
      return `connect ${method.toUpperCase()} requests to ${of}${kind}`;
    default:
      return undefined;
  }
}

/** The descriptions of parameters of all resources. */
export const parameterTexts: Readonly<Record<string, string>> = table({
  allowWatchBookmarks:
    "Lets a watch send events of type BOOKMARK, which say how far it has come. Without effect on other requests.",
  continue:
    "Where the next page of a list begins, as the page before it says. It expires after a while, and is answered with 410 then.",
  dryRun: "`All` goes through everything but the storing. Left out, the request is carried out.",
  fieldManager:
    "Whose changes these are, in managedFields. Required for apply; by default the start of the user agent.",
  fieldSelector: "Which objects, by the values of fields. Default all.",
  fieldValidation:
    "What happens to unknown and repeated fields: `Ignore`, `Warn` (the default) or `Strict`, which refuses the request.",
  force:
    "Takes over fields that others manage, for apply only. Without it, conflicts are answered with 409.",
  gracePeriodSeconds: "How many seconds the object has until it is gone; 0 deletes at once.",
  ignoreStoreReadErrorWithClusterBreakingPotential:
    "Deletes an object that cannot be read from the store any more, whatever depends on it. Not to be used lightly.",
  labelSelector: "Which objects, by their labels. Default all.",
  limit: "How many objects a page of a list may have; the answer says where the next one begins.",
  namespace: "object name and auth scope, such as for teams and projects",
  orphanDependents: "Deprecated, use propagationPolicy. Whether dependents stay.",
  path: "path to the resource",
  pretty:
    "If 'true', the answer is indented, as it is for browsers and tools on a terminal by default.",
  propagationPolicy:
    "What becomes of dependents: `Orphan` keeps them, `Background` deletes them later, `Foreground` before the object.",
  resourceVersion: "How old what is read may be. Default as new as can be.",
  resourceVersionMatch: "How resourceVersion counts for a list: `Exact` or `NotOlderThan`.",
  sendInitialEvents:
    "Lets a watch begin with all objects, and a bookmark after the last of them if bookmarks are allowed.",
  shardSelector: "Which part of the objects, by a range of hashes of a field. Default all.",
  timeoutSeconds: "After how many seconds a list or watch ends, whatever goes on.",
  watch: "Watches for changes from resourceVersion on, as a stream of events.",
});
