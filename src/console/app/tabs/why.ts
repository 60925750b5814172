import { h, type JSX } from "preact";
import type { Finding } from "#/why/base/finding.ts";
import { useDiagnosis } from "../data/diagnoses.ts";
import type { Tone } from "../model/tone.ts";
import { Age } from "../parts/age.ts";
import { FailureNote, Skeleton } from "../parts/notes.ts";
import { Status } from "../parts/status.ts";
import { t } from "../texts/texts.ts";
import type { Tab, TabProps } from "./tab.ts";

export const whyTab: Tab = {
  name: "why",
  title: () => t().why,
  isFor: ({ object }) => object.kind !== "Event",
  View: Why,
};

const tones: Readonly<Record<string, Tone>> = {
  healthy: "good",
  stuck: "bad",
  progressing: "busy",
  unknown: "idle",
};

function Why({ id, object }: TabProps): JSX.Element {
  const { found, failure } = useDiagnosis(id, object.metadata.resourceVersion);
  if (!found) return failure ? h(FailureNote, { failure }) : h(Skeleton, null);
  const { state, sentence, findings, context, unread } = found;
  return h(
    "div",
    { class: "why scroll" },
    h(
      "section",
      { class: `verdict ${tones[state]}` },
      h(Status, { text: t().states(state), tone: tones[state] ?? "idle" }),
      h("p", null, sentence),
    ),
    findings.map((finding) =>
      h(FindingView, { key: `${finding.cause} ${finding.about.name}`, finding }),
    ),
    context.length > 0
      ? h(
          "section",
          { class: "panel" },
          h("h2", null, t().besides),
          h(
            "ul",
            { class: "plain" },
            context.map(({ sentence: text, cause }) => h("li", { key: `${cause} ${text}` }, text)),
          ),
        )
      : null,
    unread.length > 0
      ? h(
          "section",
          { class: "panel" },
          h("h2", null, t().unread),
          h(
            "ul",
            { class: "plain" },
            unread.map(({ what, message }) =>
              h("li", { key: what }, h("code", null, what), " ", message),
            ),
          ),
        )
      : null,
  );
}

function FindingView({ finding }: { readonly finding: Finding }): JSX.Element {
  const { layer, certainty, about, since, sentence, evidence, fix } = finding;
  return h(
    "section",
    { class: "panel finding" },
    h(
      "h2",
      null,
      h("span", { class: "badge" }, t().layerNames(layer)),
      `${about.kind} ${about.name}`,
      h("span", { class: "dim" }, certainty === "proven" ? t().proven : t().likely),
      since ? h(Age, { ms: Date.parse(since) }) : null,
    ),
    h("p", null, sentence),
    evidence.length > 0
      ? h(
          "ul",
          { class: "evidence" },
          evidence.map((line) => h("li", { key: line }, line)),
        )
      : null,
    fix.length > 0
      ? [
          h("h3", { key: "title" }, t().fix),
          fix.map((line) => h("code", { key: line, class: "command" }, line)),
        ]
      : null,
  );
}
