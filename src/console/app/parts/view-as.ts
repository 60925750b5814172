import { signal } from "@preact/signals";
import { h, type JSX } from "preact";
import { useState } from "preact/hooks";
import { viewedAs } from "../base/session.ts";
import { viewAs } from "../data/log-in.ts";
import { t } from "../texts/texts.ts";
import { Dialog } from "./dialog.ts";
import { Icon } from "./icon.ts";
import { say } from "./toasts.ts";

/** Whether the question whose view to show is open. */
export const isViewAsOpen = signal(false);

const sayFailure = (error: Error): void => say(error.message, { isBad: true });

/** Asks for the user whose view is shown: what the server permits them, and nothing else. */
export function ViewAsDialog(): JSX.Element | null {
  const [name, setName] = useState("");
  const [group, setGroup] = useState("");
  if (!isViewAsOpen.value) return null;
  const close = () => {
    isViewAsOpen.value = false;
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    close();
    await viewAs({ name: name.trim(), group: group.trim() }).catch(sayFailure);
  };
  const field = (id: string, label: string, value: string, set: (text: string) => void) => [
    h("label", { key: `${id}-label`, for: id }, label),
    h("input", {
      key: id,
      id,
      value,
      autocomplete: "off",
      spellcheck: false,
      required: id === "view-as-user",
      onInput: ({ currentTarget }: Event) => set((currentTarget as HTMLInputElement).value),
    }),
  ];
  return h(Dialog, {
    title: t().viewAs,
    close,
    children: h(
      "form",
      { onSubmit: submit },
      h("p", null, t().viewAsText),
      field("view-as-user", t().user, name, setName),
      field("view-as-group", t().groupIfAny, group, setGroup),
      h(
        "code",
        { class: "command" },
        `kubectl --as=${name}${group ? ` --as-group=${group}` : ""} …`,
      ),
      h(
        "footer",
        null,
        h("button", { type: "button", onClick: close }, t().cancel),
        h("button", { class: "primary", type: "submit" }, t().viewAs),
      ),
    ),
  });
}

/** Says whose view is shown, and ends it. */
export function ViewedAsNote(): JSX.Element | null {
  const { name } = viewedAs.value ?? {};
  if (name === undefined) return null;
  return h(
    "span",
    { class: "chip viewed-as", role: "status" },
    t().viewedAs(name),
    h(
      "button",
      {
        class: "quiet",
        "aria-label": t().ownView,
        title: t().ownView,
        onClick: () => void viewAs(undefined).catch(sayFailure),
      },
      h(Icon, { name: "close" }),
    ),
  );
}
