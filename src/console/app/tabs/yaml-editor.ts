import { h, type JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { parse, YAMLParseError } from "yaml";
import { ApiFailure, getJson, send } from "../data/api.ts";
import type { ObjectId } from "../data/live-object.ts";
import { resourcePath } from "../model/api-resource.ts";
import { diffLines } from "../model/diff-lines.ts";
import { type ChangedField, changedFields } from "../model/field-owners.ts";
import type { ApiObject } from "../model/object.ts";
import { toYaml } from "../model/to-yaml.ts";
import { DiffView } from "../parts/diff-view.ts";
import { TextEditor } from "../parts/text-editor.ts";
import { say } from "../parts/toasts.ts";
import { t } from "../texts/texts.ts";

interface EditorOptions {
  readonly id: ObjectId;
  readonly object: ApiObject;
  close(): void;
}

/** What the server answered to a change that it did not store. */
interface Review {
  readonly before: string;
  readonly after: string;
  readonly fields: readonly ChangedField[];
  readonly warnings: readonly string[];
}

/** Name of the manager of fields that the console writes. */
const fieldManager = "k8ts-console";

/**
 * Edits an object: what is sent is first sent as a dry run, and stored only after the user has seen what the server would
 * make of it, and whose fields it takes.
 */
export function YamlEditor({ id, object, close }: EditorOptions): JSX.Element {
  const original = useMemo(() => object, []);
  const [text, setText] = useState(() => toYaml(original));
  const [review, setReview] = useState<Review | undefined>(undefined);
  const [failure, setFailure] = useState<Error | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    setFailure(undefined);
    await work().catch(setFailure);
    setBusy(false);
  };
  const check = () =>
    attempt(async () => {
      setReview(await dryRun(id, original, text));
    });
  const store = () =>
    attempt(async () => {
      await put(id, text, {});
      say(t().saved(id.name));
      close();
    });
  const reload = () =>
    attempt(async () => {
      const latest = await getJson<ApiObject>(resourcePath(id.resource, id.namespace, id.name));
      setText(withVersion(text, latest));
      setReview(undefined);
    });
  const isConflict = failure instanceof ApiFailure && failure.status === 409;
  return h(
    "div",
    { class: "yaml" },
    h(
      "div",
      { class: "toolbar" },
      review
        ? h("button", { class: "primary", disabled: isBusy, onClick: store }, t().save)
        : h("button", { class: "primary", disabled: isBusy, onClick: check }, t().review),
      review ? h("button", { onClick: () => setReview(undefined) }, t().editOn) : null,
      isConflict ? h("button", { onClick: reload }, t().useLatest) : null,
      h("button", { class: "quiet", onClick: close }, t().cancel),
    ),
    failure ? h(Problem, { failure }) : null,
    review
      ? h(ReviewView, { review })
      : h(TextEditor, { text, onChange: setText, label: "YAML", save: check }),
  );
}

/** The text with the version of the newest object, so that the server accepts it although others have written. */
function withVersion(text: string, { metadata: { resourceVersion = "" } }: ApiObject): string {
  return text.replace(/^( {2}resourceVersion:).*$/m, `$1 "${resourceVersion}"`);
}

async function dryRun(id: ObjectId, original: ApiObject, text: string): Promise<Review> {
  const { object, warnings } = await put(id, text, { dryRun: "All" });
  const withoutVersion = ({ metadata, ...rest }: ApiObject): ApiObject => {
    const { resourceVersion, generation, ...kept } = metadata as ApiObject["metadata"] & {
      readonly generation?: number;
    };
    return { ...rest, metadata: kept };
  };
  return {
    before: toYaml(withoutVersion(original)),
    after: toYaml(withoutVersion(object)),
    fields: changedFields(original, object, original.metadata.managedFields),
    warnings,
  };
}

async function put(
  { resource, namespace, name }: ObjectId,
  text: string,
  query: Readonly<Record<string, string>>,
): Promise<{ readonly object: ApiObject; readonly warnings: readonly string[] }> {
  const body: unknown = parse(text);
  if (typeof body !== "object" || body === null) throw new Error(t().noObject);
  const parameters = new URLSearchParams({ fieldManager, fieldValidation: "Strict", ...query });
  const path = resourcePath(resource, namespace, name);
  const response = await send(`${path}?${parameters}`, { method: "PUT", body });
  const warnings = Array.from(
    (response.headers.get("warning") ?? "").matchAll(/299 - "((?:[^"\\]|\\.)*)"/g),
    ([, warning = ""]) => warning.replace(/\\(.)/g, "$1"),
  );
  return { object: (await response.json()) as ApiObject, warnings };
}

function Problem({ failure }: { readonly failure: Error }): JSX.Element {
  const causes = failure instanceof ApiFailure ? failure.causes : [];
  const isConflict = failure instanceof ApiFailure && failure.status === 409;
  const place = failure instanceof YAMLParseError ? failure.linePos?.[0] : undefined;
  return h(
    "div",
    { class: "problem", role: "alert" },
    h(
      "p",
      null,
      isConflict ? t().conflict : place ? `${t().line(place.line)}: ` : "",
      isConflict ? "" : failure.message,
    ),
    causes.length > 1
      ? h(
          "ul",
          null,
          causes.map(({ field = "", message = "" }) =>
            h("li", { key: field + message }, h("code", null, field), " ", message),
          ),
        )
      : null,
  );
}

function ReviewView({ review }: { readonly review: Review }): JSX.Element {
  const { before, after, fields, warnings } = review;
  const lines = diffLines(before, after);
  const taken = fields.filter(({ owners }) => owners.some((owner) => owner !== fieldManager));
  return h(
    "div",
    { class: "review scroll" },
    warnings.map((warning) => h("p", { key: warning, class: "problem", role: "alert" }, warning)),
    taken.length > 0
      ? h(
          "div",
          { class: "owners" },
          h("h2", null, t().takenFields),
          h(
            "ul",
            null,
            taken.map(({ path, owners }) =>
              h("li", { key: path }, h("code", null, path), " ", t().ownedBy(owners.join(", "))),
            ),
          ),
        )
      : null,
    lines.length === 0 || before === after
      ? h("p", { class: "dim" }, t().noChange)
      : h(DiffView, { lines }),
  );
}
