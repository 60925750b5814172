import { useComputed, useSignal } from "@preact/signals";
import { h, type JSX } from "preact";
import { route } from "../base/navigation.ts";
import { now } from "../base/now.ts";
import { namespace } from "../base/preferences.ts";
import { useWhileShown } from "../base/while-shown.ts";
import { useSurvey } from "../data/diagnoses.ts";
import { findResource, resources } from "../data/discovery.ts";
import { LiveTable } from "../data/live-table.ts";
import { knowsRights, may } from "../data/permissions.ts";
import { resourcePath } from "../model/api-resource.ts";
import { objectRoute } from "../model/route.ts";
import { podsByNode, type Trouble, troublesOf, withDiagnoses } from "../model/troubles.ts";
import { Age } from "../parts/age.ts";
import { ChangeFeed } from "../parts/change-feed.ts";
import { NodeCells } from "../parts/node-cells.ts";
import { FailureNote, ForbiddenNote, Note, Skeleton } from "../parts/notes.ts";
import { Status } from "../parts/status.ts";
import { t } from "../texts/texts.ts";

/** What is stuck, what changes, and how the nodes are. */
export function NowPage(): JSX.Element {
  const { ns = namespace.value } = route.value.query;
  if (resources.value === undefined || !knowsRights(ns)) return h(Skeleton, null);
  if (!may({ verb: "list", group: "", resource: "pods" }, ns)) {
    return h(
      "section",
      { class: "page now-page" },
      h("header", { class: "page-head" }, h("h1", null, t().now)),
      h(ForbiddenNote, {}),
    );
  }
  return h(Now, { key: ns ?? "", ns });
}

function Now({ ns }: { readonly ns: string | undefined }): JSX.Element {
  const pods = useSignal<LiveTable | undefined>(undefined);
  const resource = findResource("pods");
  useWhileShown((stop) => {
    if (resource) pods.value = new LiveTable(resourcePath(resource, ns), {}, stop);
  }, []);
  const troubles = useComputed(() => {
    const { columns, rows } = pods.value ?? {};
    return troublesOf(columns?.value ?? [], rows?.value ?? [], now.value);
  });
  const counts = useComputed(() => {
    const { columns, rows } = pods.value ?? {};
    return podsByNode(columns?.value ?? [], rows?.value ?? []);
  });
  const state = pods.value?.state.value ?? "loading";
  const isSmall = (pods.value?.rows.value.length ?? 0) <= maxDiagnosed;
  const version = troubles.value.map(({ id, status }) => `${id} ${status}`).join();
  const { found } = useSurvey(ns, state === "live" && isSmall ? version : undefined);
  const stuck = withDiagnoses(troubles.value, found?.diagnoses ?? []);
  const rows = pods.value?.rows.value ?? [];
  return h(
    "section",
    { class: "page now-page" },
    h(
      "header",
      { class: "page-head" },
      h("h1", null, t().now),
      h(
        "span",
        { class: "count", role: "status" },
        state === "loading" ? "" : t().podsRunning(rows.length),
      ),
    ),
    h(
      "div",
      { class: "scroll now" },
      h(
        "section",
        { class: "panel stuck", "aria-label": t().stuck },
        h(
          "h2",
          null,
          t().stuck,
          stuck.length > 0 ? h("span", { class: "badge bad" }, stuck.length) : null,
        ),
        state === "refused"
          ? h(FailureNote, { failure: pods.value?.failure.value })
          : state === "loading" && rows.length === 0
            ? h(Skeleton, { rows: 4 })
            : h(Troubles, { troubles: stuck, count: rows.length }),
      ),
      may({ verb: "list", group: "", resource: "nodes" }, undefined)
        ? h(NodeCells, { counts: counts.value })
        : null,
      h(ChangeFeed, { key: ns ?? "", ns }),
    ),
  );
}

/** Limit of the Pods with which objects are diagnosed for this page (count): all of them are read whole. */
const maxDiagnosed = 1500;

/** Limit of the Pods that are listed (count): the list of Pods has the rest. */
const maxShown = 50;

function Troubles({
  troubles,
  count,
}: {
  readonly troubles: readonly Trouble[];
  readonly count: number;
}): JSX.Element {
  if (troubles.length === 0) {
    return count === 0
      ? h(
          Note,
          { title: t().noPodsYet, text: t().noPodsYetText },
          h("code", { class: "command" }, "kubectl create deployment web --image=nginx"),
        )
      : h(Note, { title: t().nothingStuck, text: t().nothingStuckText(count) });
  }
  return h(
    "ul",
    { class: "troubles" },
    troubles
      .slice(0, maxShown)
      .map(({ id, key, namespace: ns, name, status, tone, createdMs, sentence }) =>
        h(
          "li",
          { key: id },
          h(
            "a",
            { href: objectRoute(key, { namespace: ns, name }, "why") },
            h(Status, { text: status, tone }),
            h("strong", null, name),
            h("span", { class: "dim" }, ns),
            h(Age, { ms: createdMs }),
            sentence ? h("span", { class: "why-line" }, sentence) : null,
          ),
        ),
      ),
  );
}
