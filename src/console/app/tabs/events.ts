import { h, type JSX } from "preact";
import { type ObjectId, useLiveList } from "../data/live-object.ts";
import { fieldIs } from "../model/api-resource.ts";
import { newestEvents } from "../model/event-view.ts";
import type { ApiObject } from "../model/object.ts";
import { Age } from "../parts/age.ts";
import { FailureNote, Note, Skeleton } from "../parts/notes.ts";
import { Status } from "../parts/status.ts";
import { t } from "../texts/texts.ts";
import type { Tab, TabProps } from "./tab.ts";

const mayList = { group: "", resource: "events" };

export const eventsTab: Tab = {
  name: "events",
  title: () => t().events,
  isFor: ({ id, may }) => id.resource.resource !== "events" && may("list", mayList),
  View: Events,
};

/** The events about an object. Those of objects without a namespace are in the namespace "default". */
export function useEvents({ resource, namespace = "default", name }: ObjectId) {
  const fieldSelector = `involvedObject.kind=${resource.kind},${fieldIs("involvedObject.name", name)}`;
  return useLiveList(`/api/v1/namespaces/${namespace}/events`, { fieldSelector });
}

function Events({ id }: TabProps): JSX.Element {
  const live = useEvents(id);
  const state = live?.state.value ?? "loading";
  if (state === "refused") return h(FailureNote, { failure: live?.failure.value });
  const events = live?.items.value ?? [];
  if (state === "loading" && events.length === 0) return h(Skeleton, null);
  if (events.length === 0) return h(Note, { title: t().noEvents });
  return h("div", { class: "scroll" }, h(EventList, { events }));
}

/** Events of a panel (count): the tab has them all. */
const recentCount = 8;

/** The last events of an object; nothing if there are none or they cannot be read. */
export function RecentEvents({ id }: Pick<TabProps, "id">): JSX.Element | null {
  const events = useEvents(id)?.items.value ?? [];
  if (events.length === 0) return null;
  return h(
    "section",
    { class: "panel" },
    h("h2", null, t().events),
    h(EventList, { events, limit: recentCount }),
  );
}

function EventList({
  events,
  limit = Number.POSITIVE_INFINITY,
}: {
  readonly events: readonly ApiObject[];
  readonly limit?: number;
}): JSX.Element {
  return h(
    "ul",
    { class: "events" },
    newestEvents(events)
      .slice(0, limit)
      .map(({ id, isWarning, reason, message, source, count, lastMs }) =>
        h(
          "li",
          { key: id },
          h(Status, { text: reason, tone: isWarning ? "bad" : "idle" }),
          h("p", null, message),
          h("span", { class: "dim" }, source, count > 1 ? ` ×${count}` : ""),
          h(Age, { ms: lastMs }),
        ),
      ),
  );
}
