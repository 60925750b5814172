import { useSignal } from "@preact/signals";
import { type ComponentChildren, h, type JSX } from "preact";
import { useState } from "preact/hooks";
import { viewedAs } from "../base/session.ts";
import { useWhileShown } from "../base/while-shown.ts";
import { may } from "../data/permissions.ts";
import { addDebugContainer, ShellSession, type ShellState } from "../data/shell-session.ts";
import { resourceKey } from "../model/api-resource.ts";
import { type ContainerId, debugName } from "../model/shell.ts";
import { containersOf } from "../model/summary.ts";
import { Note } from "../parts/notes.ts";
import { TerminalView } from "../parts/terminal-view.ts";
import { say } from "../parts/toasts.ts";
import { t } from "../texts/texts.ts";
import type { Tab, TabProps } from "./tab.ts";

const podExec = { group: "", resource: "pods/exec" };
const debugWish = { verb: "patch", group: "", resource: "pods/ephemeralcontainers" };

export const shellTab: Tab = {
  name: "shell",
  title: () => t().shell,
  isFor: ({ id, may: mayHere }) =>
    resourceKey(id.resource) === "pods" &&
    viewedAs.value === undefined &&
    mayHere("create", podExec),
  View: Shell,
};

/** A shell in one of the containers that run. The choice of another one ends it. */
function Shell({ id, object, isGone }: TabProps): JSX.Element {
  const [chosen, choose] = useState("");
  const [attached, setAttached] = useState<readonly string[]>([]);
  const containers = containersOf(object);
  const running = containers.filter(({ tone, state }) => tone !== "bad" && isRunning(state));
  const wanted = containers.find(({ name }) => name === chosen);
  const isWaiting = wanted !== undefined && !isRunning(wanted.state);
  const container = wanted ?? running.find(({ isInit }) => !isInit) ?? running[0];
  if (isGone || !container) return h(Note, { icon: "terminal", title: t().noContainerRuns });
  const { namespace = "", name: pod } = id;
  const containerId = { namespace, pod, container: container.name };
  const debug = async (image: string) => {
    const name = debugName(containers.map((one) => one.name));
    await addDebugContainer(containerId, { name, image });
    setAttached([...attached, name]);
    choose(name);
  };
  const picker = h(
    "select",
    {
      "aria-label": t().container,
      value: container.name,
      onChange: ({ currentTarget }: Event) => choose((currentTarget as HTMLSelectElement).value),
    },
    containers
      .filter(({ name, state }) => isRunning(state) || name === container.name)
      .map(({ name }) => h("option", { key: name, value: name }, name)),
  );
  if (isWaiting) {
    return h(
      "div",
      { class: "shell" },
      h(Note, { icon: "terminal", title: t().containerStarts(container.name) }),
    );
  }
  const way = attached.includes(container.name) ? "attach" : "exec";
  return h(OpenShell, {
    key: container.name,
    id: containerId,
    way,
    picker,
    ...(may(debugWish, namespace) ? { debug } : {}),
  });
}

const isRunning = (state: string): boolean => state === "Running" || state === "NotReady";

interface OpenShellOptions {
  readonly id: ContainerId;
  readonly way: "exec" | "attach";
  readonly picker: ComponentChildren;
  /** Adds a debug container with an image; absent if the user may not. */
  debug?(image: string): Promise<void>;
}

function OpenShell({ id, way, picker, debug }: OpenShellOptions): JSX.Element {
  const session = useSignal<ShellSession | undefined>(undefined);
  useWhileShown((stop) => {
    session.value = new ShellSession(id, way, stop);
  }, []);
  const open = session.value;
  if (!open) return h("div", { class: "shell" });
  return h(
    "div",
    { class: "shell" },
    h(
      "div",
      { class: "toolbar" },
      picker,
      h("span", { class: "space" }),
      h("span", { class: "dim terminal-hint" }, t().terminalKeys),
    ),
    h(TerminalView, {
      shown: open.shown,
      label: `${t().shell}: ${id.container}`,
      onResize: (columns: number, rows: number) => open.resize({ columns, rows }),
    }),
    h(StateNote, { state: open.state.value, start: () => open.start(), debug }),
  );
}

interface StateNoteOptions {
  readonly state: ShellState;
  start(): void;
  debug: ((image: string) => Promise<void>) | undefined;
}

/** Says why there is no shell, and what can be done. */
function StateNote({ state, start, debug }: StateNoteOptions): JSX.Element | null {
  if (state.name === "open") return null;
  const text = {
    opening: () => t().shellOpens,
    ended: () => t().shellEnded(state.name === "ended" ? state.exitCode : 0),
    noShell: () => t().noShell,
    lost: () => [t().shellLost, state.name === "lost" ? state.message : ""].join(" "),
  }[state.name];
  return h(
    "div",
    { class: state.name === "lost" ? "terminal-note bad" : "terminal-note", role: "status" },
    h("span", null, text()),
    state.name === "ended" || state.name === "lost"
      ? h("button", { onClick: start }, t().startAgain)
      : null,
    state.name === "noShell" && debug ? h(DebugForm, { debug }) : null,
  );
}

/** An image with a shell and the usual programs. */
const debugImage = "busybox:1.36";

function DebugForm({ debug }: { debug(image: string): Promise<void> }): JSX.Element {
  const [image, setImage] = useState(debugImage);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    await debug(image.trim()).catch((error: Error) => say(error.message, { isBad: true }));
    setBusy(false);
  };
  return h(
    "form",
    { class: "chips", onSubmit: submit },
    h("input", {
      "aria-label": t().image,
      value: image,
      required: true,
      onInput: ({ currentTarget }) => setImage(currentTarget.value),
    }),
    h("button", { class: "primary", disabled: isBusy, type: "submit" }, t().addDebugContainer),
  );
}
