import type { Exchange } from "../model/exchange.ts";

/** Upstream: staging/src/k8s.io/apiserver/pkg/util/flowcontrol/request/list_work_estimator.go. */
const objectsPerSeat = 100;
const maxListSeats = 10;

/** The number of seats of a request: more than one if it reads many objects. */
export function estimateSeats(
  { info, query }: Exchange,
  nominalSeats: number,
  countOf: (group: string, resource: string) => number,
): number {
  if (!info.isResourceRequest) return 1;
  if (info.verb !== "list" && !(info.verb === "watch" && sendsAll(query))) return 1;
  if (info.name !== "") return 1;
  const stored = countOf(info.apiGroup, info.resource);
  const limit = Number(query.get("limit") ?? 0);
  const objects = limit > 0 && limit < stored ? limit : stored;
  const most = Math.min(maxListSeats, Math.max(1, Math.ceil(nominalSeats * 0.15)));
  return Math.min(most, Math.max(1, Math.ceil(objects / objectsPerSeat)));
}

function sendsAll(query: URLSearchParams): boolean {
  const version = query.get("resourceVersion") ?? "";
  return query.get("sendInitialEvents") === "true" || version === "" || version === "0";
}
