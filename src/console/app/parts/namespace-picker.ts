import { h, type JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { changeQuery, route } from "../base/navigation.ts";
import { namespace } from "../base/preferences.ts";
import { namespaceNames } from "../data/namespaces.ts";
import { t } from "../texts/texts.ts";

function choose(name: string | undefined): void {
  namespace.value = name;
  changeQuery({ ns: undefined });
}

/** The namespace of all pages. Users who may not list namespaces write a name. */
export function NamespacePicker(): JSX.Element {
  const names = namespaceNames.value;
  // A link may name another one than was chosen.
  const value = route.value.query["ns"] ?? namespace.value ?? "";
  if (names === undefined) return h(NamespaceField, { key: value, value });
  const all = value === "" || names.includes(value) ? names : [value, ...names];
  return h(
    "select",
    {
      class: "namespace",
      "aria-label": t().namespace,
      value,
      onChange: ({ currentTarget }: Event) =>
        choose((currentTarget as HTMLSelectElement).value || undefined),
    },
    h("option", { value: "" }, t().allNamespaces),
    all.map((name) => h("option", { key: name, value: name }, name)),
  );
}

function NamespaceField({ value }: { readonly value: string }): JSX.Element {
  const [text, setText] = useState(value);
  const id = useId();
  return h(
    "form",
    {
      class: "namespace-form",
      onSubmit: (event: Event) => {
        event.preventDefault();
        choose(text.trim() || undefined);
      },
    },
    h("label", { for: id, class: "hidden" }, t().namespace),
    h("input", {
      id,
      class: "namespace",
      value: text,
      placeholder: t().namespace,
      spellcheck: false,
      onInput: ({ currentTarget }) => setText(currentTarget.value),
      onBlur: () => choose(text.trim() || undefined),
    }),
  );
}
