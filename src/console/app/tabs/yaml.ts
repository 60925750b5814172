import { h, type JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { resourceKey } from "../model/api-resource.ts";
import { toYaml } from "../model/to-yaml.ts";
import { Icon } from "../parts/icon.ts";
import { say } from "../parts/toasts.ts";
import { YamlText } from "../parts/yaml-text.ts";
import { t } from "../texts/texts.ts";
import type { Tab, TabProps } from "./tab.ts";
import { YamlEditor } from "./yaml-editor.ts";

export const yamlTab: Tab = { name: "yaml", title: () => "YAML", isFor: () => true, View: Yaml };

function Yaml({ id, object, isGone }: TabProps): JSX.Element {
  const [isEditing, setEditing] = useState(false);
  const [withManagers, setWithManagers] = useState(false);
  const text = useMemo(() => toYaml(object, withManagers), [object, withManagers]);
  useEffect(() => setEditing(false), [resourceKey(id.resource), id.name]);
  if (isEditing) return h(YamlEditor, { id, object, close: () => setEditing(false) });
  const mayEdit = !isGone && id.resource.verbs.includes("update");
  return h(
    "div",
    { class: "yaml" },
    h(
      "div",
      { class: "toolbar" },
      mayEdit ? h("button", { class: "primary", onClick: () => setEditing(true) }, t().edit) : null,
      h(
        "label",
        { class: "check" },
        h("input", {
          type: "checkbox",
          checked: withManagers,
          onChange: ({ currentTarget }) => setWithManagers(currentTarget.checked),
        }),
        "managedFields",
      ),
      h("span", { class: "space" }),
      h(
        "button",
        {
          class: "quiet icon-button",
          "aria-label": t().copy,
          title: t().copy,
          onClick: () => copy(text),
        },
        h(Icon, { name: "copy" }),
      ),
    ),
    h(YamlText, { text }),
  );
}

function copy(text: string): void {
  navigator.clipboard.writeText(text).then(
    () => say(t().copied),
    (error: Error) => say(error.message, { isBad: true }),
  );
}
