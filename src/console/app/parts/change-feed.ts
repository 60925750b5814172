import { h, type JSX } from "preact";
import { findKind } from "../data/discovery.ts";
import { useLiveList } from "../data/live-object.ts";
import { may } from "../data/permissions.ts";
import { resourceKey } from "../model/api-resource.ts";
import { type EventView, newestByReason } from "../model/event-view.ts";
import { objectRoute } from "../model/route.ts";
import { t } from "../texts/texts.ts";
import { Age } from "./age.ts";
import { Skeleton } from "./notes.ts";
import { Status } from "./status.ts";

/** Limit of the events that are shown (count): the list of Events has the rest. */
const maxShown = 60;

/** What happened lately, the newest first. */
export function ChangeFeed({ ns }: { readonly ns: string | undefined }): JSX.Element | null {
  const isPermitted = may({ verb: "list", group: "", resource: "events" }, ns);
  const path = ns === undefined ? "/api/v1/events" : `/api/v1/namespaces/${ns}/events`;
  const live = useLiveList(isPermitted ? path : undefined);
  if (!isPermitted || live?.state.value === "refused") return null;
  const events = live?.items.value ?? [];
  return h(
    "section",
    { class: "panel feed", "aria-label": t().happened },
    h("h2", null, t().happened),
    live?.state.value === "loading" && events.length === 0 ? h(Skeleton, { rows: 5 }) : null,
    live?.state.value === "live" && events.length === 0
      ? h("p", { class: "dim" }, t().noEvents)
      : null,
    h(
      "ul",
      { class: "events" },
      newestByReason(events)
        .slice(0, maxShown)
        .map((event) => h(FeedItem, { key: event.id, event, withNamespace: ns === undefined })),
    ),
  );
}

function FeedItem({
  event,
  withNamespace,
}: {
  readonly event: EventView;
  readonly withNamespace: boolean;
}): JSX.Element {
  const { isWarning, reason, message, kind, group, namespace, name, count, lastMs } = event;
  const resource = findKind(group, kind);
  const text = `${kind} ${withNamespace && namespace ? `${namespace}/` : ""}${name}`;
  return h(
    "li",
    null,
    h(Status, { text: reason, tone: isWarning ? "bad" : "idle" }),
    h("p", null, message),
    resource
      ? h(
          "a",
          {
            href: objectRoute(resourceKey(resource), {
              namespace: resource.namespaced ? namespace : undefined,
              name,
            }),
          },
          text,
        )
      : h("span", { class: "dim" }, text),
    h("span", { class: "dim" }, count > 1 ? `×${count}` : ""),
    h(Age, { ms: lastMs }),
  );
}
