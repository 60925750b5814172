import type { Resource } from "#/api/base/resource.ts";
import type { Event } from "#/api/core/v1.ts";
import type { ObjectRef } from "#/client/resource-path.ts";
import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import { dropNulls } from "#/machinery/objects/drop-nulls.ts";
import type { AnyObject } from "../base/any-object.ts";
import type { Unread } from "../base/finding.ts";
import { masked } from "../base/mask.ts";
import { oneLine } from "../base/text.ts";
import type { EventFact, Lookup, Selection, View } from "../base/view.ts";
import {
  eventsPath,
  groupPath,
  listPath,
  logPath,
  objectPath,
  portPath,
  reachPath,
} from "./paths.ts";
import type { Answer, Form, Snapshot } from "./snapshot.ts";

/** A view of a snapshot, which notes what was asked for in vain. */
export class SnapshotView implements View {
  readonly nowMs: number;
  readonly #snapshot: Snapshot;
  /** Paths to read before the causes are asked again. */
  readonly missing: Map<string, Form> = new Map();
  readonly #unread: Map<string, Unread> = new Map();

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
    this.nowMs = snapshot.nowMs;
  }

  /** What could not be read; absent objects are facts, not gaps. */
  get unread(): readonly Unread[] {
    return [...this.#unread.values()];
  }

  lookup<T>(resource: Resource<T>, ref: ObjectRef): Lookup<T> {
    const path = objectPath(resource, ref);
    const answer = this.#ask(path, "json", `${resource.singular}/${ref.name}`);
    if (answer?.state !== "found") return answer ?? { state: "pending" };
    return { state: "found", value: named(dropNulls(answer.value as T), resource) };
  }

  get<T>(resource: Resource<T>, ref: ObjectRef): T | undefined {
    const result = this.lookup(resource, ref);
    return result.state === "found" ? result.value : undefined;
  }

  isAbsent(resource: Resource, ref: ObjectRef): boolean {
    return this.lookup(resource, ref).state === "absent";
  }

  list<T>(resource: Resource<T>, selection?: Selection): readonly T[] | undefined {
    const answer = this.#ask(listPath(resource, selection), "json", resource.name);
    if (answer?.state !== "found") return undefined;
    const { items } = answer.value as { readonly items?: readonly T[] | null };
    return (items ?? []).map((item) => named(dropNulls(item), resource));
  }

  isWhole(resource: Resource, selection?: Selection): boolean {
    const answer = this.#snapshot.answers.get(listPath(resource, selection));
    if (answer?.state !== "found") return false;
    const { metadata } = answer.value as { readonly metadata?: { readonly continue?: string } };
    return !metadata?.continue;
  }

  events(resource: Resource, object: AnyObject): readonly EventFact[] {
    const answer = this.#ask(eventsPath(resource, object), "json", "events");
    if (answer?.state !== "found") return [];
    const { items } = answer.value as { readonly items?: readonly Event[] | null };
    const { uid } = object.metadata;
    return (items ?? [])
      .filter(({ involvedObject }) => isAbout(involvedObject?.uid, uid, resource))
      .map((event) => eventFact(dropNulls(event)))
      .sort((a, b) => b.lastMs - a.lastMs);
  }

  log(pod: AnyObject, container: string, previous: boolean): readonly string[] {
    if (!this.#snapshot.logs) return [];
    const answer = this.#ask(logPath(pod, container, previous), "text", "logs");
    if (answer?.state !== "found" || typeof answer.value !== "string") return [];
    return answer.value
      .split("\n")
      .filter((line) => !noLog.test(line))
      .map((line) => masked(oneLine(line)))
      .filter((line) => line !== "");
  }

  refuses(pod: AnyObject, port: number): boolean | undefined {
    return isRefusal(this.#ask(portPath(pod, port), "connect", "ports"));
  }

  refusesOthers(pod: AnyObject, port: number): boolean | undefined {
    return isRefusal(this.#ask(reachPath(pod, port), "reach", "ports"));
  }

  serves(groupVersion: string): boolean | undefined {
    const answer = this.#ask(groupPath(groupVersion), "json", `the API ${groupVersion}`);
    if (answer?.state === "found") return true;
    return answer?.state === "absent" ? false : undefined;
  }

  #ask(path: string, as: Form, what: string): Answer | undefined {
    const answer = this.#snapshot.answers.get(path);
    if (answer === undefined) this.missing.set(path, as);
    // A log that is gone is no gap in what the user may see.
    else if (answer.state === "forbidden" || (answer.state === "failed" && as === "json")) {
      this.#unread.set(what, { what, reason: answer.state, message: answer.message });
    }
    return answer;
  }
}

function isRefusal(answer: Answer | undefined): boolean | undefined {
  if (answer?.state !== "found" || typeof answer.value !== "string") return undefined;
  return /connection refused/i.test(answer.value);
}

/** What a kubelet sends in the place of a log that is gone. */
const noLog =
  /^(?:failed to try resolving symlinks in path|failed to open log file|unable to retrieve container logs for) /;

/** Events of an earlier object of the same name do not count. The kubelet's about its Node have its name as uid. */
const isAbout = (involved: string | undefined, uid: string | undefined, { namespaced }: Resource) =>
  !namespaced || involved === undefined || uid === undefined || involved === uid;

function eventFact(event: Event): EventFact {
  const { type, reason = "", message = "", series, source, reportingComponent } = event;
  const first = event.eventTime ?? event.firstTimestamp ?? event.metadata.creationTimestamp;
  const last = series?.lastObservedTime ?? event.lastTimestamp ?? first;
  return {
    isWarning: type === "Warning",
    reason,
    message,
    count: series?.count ?? event.count ?? 1,
    firstMs: Date.parse(first ?? "") || 0,
    lastMs: Date.parse(last ?? "") || 0,
    from: source?.component || reportingComponent || "",
  };
}

/** An object with its kind and apiVersion, which items of lists leave out. */
function named<T>(object: T, resource: Resource<T>): T {
  if ((object as { readonly kind?: string }).kind !== undefined) return object;
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object };
}
