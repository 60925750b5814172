import { h, type JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { openPage } from "../base/navigation.ts";
import { namespace, theme } from "../base/preferences.ts";
import { resources } from "../data/discovery.ts";
import { namespaceNames } from "../data/namespaces.ts";
import { may } from "../data/permissions.ts";
import { searchObjects } from "../data/search-objects.ts";
import { pluralTitle, resourceKey } from "../model/api-resource.ts";
import { type Choice, fittingChoices } from "../model/match-words.ts";
import { formatRoute, listRoute } from "../model/route.ts";
import { t } from "../texts/texts.ts";
import { isHelpOpen, isPaletteOpen } from "./palette-state.ts";

interface Command extends Choice {
  readonly id: string;
  /** What kind of choice it is. */
  readonly group: string;
  run(): void;
}

/** Limit of the choices that are shown (count): more are found by typing. */
const maxShown = 40;

/** Everything that has a name, by typing some letters of it: pages, kinds, namespaces, objects, commands. */
export function Palette(): JSX.Element | null {
  return isPaletteOpen.value ? h(OpenPalette, {}) : null;
}

function OpenPalette(): JSX.Element {
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const [objects, setObjects] = useState<readonly Command[]>([]);
  const dialog = useRef<HTMLDialogElement>(null);
  const fixed = useMemo(commands, [resources.value, namespaceNames.value, t()]);
  const shown = fittingChoices([...fixed, ...objects], typed, maxShown);
  const close = () => {
    isPaletteOpen.value = false;
  };
  // Before the next key: what is typed at once goes into the field.
  useLayoutEffect(() => {
    dialog.current?.showModal();
  }, []);
  useEffect(() => {
    const stop = new AbortController();
    if (typed.trim().length > 1) {
      void findObjects(typed, stop.signal).then((found) => {
        // The search for what was typed before may end later.
        if (!stop.signal.aborted) setObjects(found);
      });
    }
    return () => stop.abort();
  }, [typed]);
  const run = (command: Command | undefined) => {
    if (!command) return;
    close();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((at + step + shown.length) % Math.max(1, shown.length));
    else if (event.key === "Enter") run(shown[at]);
    else return;
    event.preventDefault();
  };
  return h(
    "dialog",
    {
      ref: dialog,
      class: "dialog palette",
      "aria-label": t().search,
      onClose: close,
      onKeyDown,
      onClick: (event: MouseEvent) => {
        if (event.target === dialog.current) close();
      },
    },
    h("input", {
      type: "text",
      role: "combobox",
      "aria-expanded": true,
      "aria-controls": "palette-list",
      "aria-label": t().search,
      "aria-activedescendant": shown[at] ? `choice-${at}` : "",
      placeholder: t().searchPlaceholder,
      spellcheck: false,
      autocomplete: "off",
      value: typed,
      onInput: ({ currentTarget }) => {
        setTyped(currentTarget.value);
        setAt(0);
      },
    }),
    h(
      "div",
      { id: "palette-list", class: "palette-list", role: "listbox", "aria-label": t().search },
      shown.map((command, index) =>
        h(
          "div",
          {
            key: command.id,
            id: `choice-${index}`,
            role: "option",
            "aria-selected": index === at,
            class: "choice",
            ref: (element: HTMLElement | null) => {
              if (index === at) element?.scrollIntoView({ block: "nearest" });
            },
            onClick: () => run(command),
          },
          h("span", { class: "choice-label" }, command.label),
          h("span", { class: "choice-group" }, command.group),
        ),
      ),
      shown.length === 0 ? h("p", { class: "dim" }, t().nothingFound) : null,
    ),
  );
}

function commands(): Command[] {
  const page = (name: string, label: string): Command => ({
    id: `page/${name}`,
    label,
    group: t().page,
    words: name,
    run: () => openPage(formatRoute([name])),
  });
  const kinds = (resources.value ?? [])
    .filter(({ verbs, group, resource }) => {
      return verbs.includes("list") && may({ verb: "list", group, resource }, namespace.value);
    })
    .map((resource) => ({
      id: `kind/${resourceKey(resource)}`,
      label: pluralTitle(resource),
      group: resource.group || t().kind,
      words: `${resourceKey(resource)} ${resource.shortNames.join(" ")}`,
      run: () => openPage(listRoute(resourceKey(resource))),
    }));
  const names = (namespaceNames.value ?? []).map((name) => ({
    id: `namespace/${name}`,
    label: name,
    group: t().namespace,
    run: () => {
      namespace.value = name;
    },
  }));
  return [
    page("now", t().now),
    page("map", t().map),
    page("learn", t().learn),
    page("terminal", t().terminal),
    page("kinds", t().allKinds),
    ...kinds,
    ...names,
    {
      id: "theme",
      label: t().changeTheme,
      group: t().command,
      words: "theme dark light",
      run: () => {
        theme.value = theme.value === "dark" ? "light" : "dark";
      },
    },
    {
      id: "keys",
      label: t().keys,
      group: t().command,
      words: "help keyboard",
      run: () => {
        isHelpOpen.value = true;
      },
    },
  ];
}

async function findObjects(typed: string, signal: AbortSignal): Promise<Command[]> {
  const found = await searchObjects(typed, signal).catch(() => []);
  return found.map(({ id, label, group, link }) => ({
    id,
    label,
    group,
    run: () => openPage(link),
  }));
}
