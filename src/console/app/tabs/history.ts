import { useSignal } from "@preact/signals";
import { h, type JSX } from "preact";
import { useState } from "preact/hooks";
import { useWhileShown } from "../base/while-shown.ts";
import { getJson } from "../data/api.ts";
import { findResource } from "../data/discovery.ts";
import { recordPath } from "../data/journeys.ts";
import { diffLines } from "../model/diff-lines.ts";
import type { ApiObject } from "../model/object.ts";
import { toYaml } from "../model/to-yaml.ts";
import { Age } from "../parts/age.ts";
import { DiffView } from "../parts/diff-view.ts";
import { FailureNote, Note, Skeleton } from "../parts/notes.ts";
import { t } from "../texts/texts.ts";
import type { Tab, TabProps } from "./tab.ts";

export const historyTab: Tab = {
  name: "history",
  title: () => t().history,
  isFor: () => findResource("histories.journey.k8ts.dev") !== undefined,
  View: History,
};

interface Version {
  readonly revision: string;
  readonly time: string;
  readonly verb: string;
  readonly user?: string;
  readonly manager?: string;
  readonly subresource?: string;
  readonly deleted?: boolean;
  readonly changed?: readonly string[];
  readonly object?: ApiObject;
}

function History({ id, object }: TabProps): JSX.Element {
  const versions = useSignal<readonly Version[] | undefined>(undefined);
  const failure = useSignal<Error | undefined>(undefined);
  const [chosen, choose] = useState<string | undefined>(undefined);
  useWhileShown(
    (signal) => {
      getJson<{ readonly versions?: readonly Version[] }>(recordPath("histories", id), {
        signal,
      }).then(
        (history) => {
          versions.value = history.versions ?? [];
        },
        (error: Error) => {
          failure.value = error;
        },
      );
    },
    [object.metadata.resourceVersion],
  );
  const known = versions.value;
  if (known === undefined) {
    return failure.value ? h(FailureNote, { failure: failure.value }) : h(Skeleton, null);
  }
  if (known.length === 0) return h(Note, { title: t().noHistory });
  const at = Math.max(
    0,
    chosen === undefined
      ? known.length - 1
      : known.findIndex(({ revision }) => revision === chosen),
  );
  return h(
    "div",
    { class: "history" },
    known.length > 1 ? h(Scrubber, { known, at, choose }) : null,
    h(
      "div",
      { class: "history-list scroll", role: "listbox", "aria-label": t().history, tabIndex: 0 },
      known.toReversed().map((version) =>
        h(VersionItem, {
          key: version.revision,
          version,
          isChosen: version === known[at],
          choose,
        }),
      ),
    ),
    h(VersionDiff, { before: known[at - 1], after: known[at] }),
  );
}

/** Goes through the versions in time, with the mouse or the arrow keys. */
function Scrubber({
  known,
  at,
  choose,
}: {
  readonly known: readonly Version[];
  readonly at: number;
  choose(revision: string | undefined): void;
}): JSX.Element {
  const { time = "" } = known[at] ?? {};
  const text = new Date(time).toLocaleString();
  return h(
    "label",
    { class: "scrubber" },
    h("span", { class: "dim" }, `${at + 1}/${known.length}`),
    h("input", {
      type: "range",
      min: 0,
      max: known.length - 1,
      value: at,
      "aria-label": t().versionAt,
      "aria-valuetext": text,
      onInput: ({ currentTarget }) => choose(known[Number(currentTarget.value)]?.revision),
    }),
    h("time", { dateTime: time }, text),
  );
}

function VersionItem({
  version,
  isChosen,
  choose,
}: {
  readonly version: Version;
  readonly isChosen: boolean;
  choose(revision: string): void;
}): JSX.Element {
  const { revision, time, verb, user = "", manager, subresource, deleted, changed = [] } = version;
  return h(
    "div",
    {
      class: "history-item",
      role: "option",
      "aria-selected": isChosen,
      onClick: () => choose(revision),
    },
    h("strong", null, deleted ? "delete" : verb, subresource ? ` ${subresource}` : ""),
    h(Age, { ms: Date.parse(time) }),
    h("span", null, user),
    manager ? h("small", null, manager) : null,
    h("code", null, changed.slice(0, 3).join(" ")),
  );
}

function VersionDiff({
  before,
  after,
}: {
  readonly before: Version | undefined;
  readonly after: Version | undefined;
}): JSX.Element {
  if (!after?.object) return h(Note, { title: t().noHistory });
  const text = (version: Version | undefined) => (version?.object ? toYaml(version.object) : "");
  return h(
    "div",
    { class: "scroll" },
    h(DiffView, { lines: diffLines(text(before), text(after)) }),
  );
}
