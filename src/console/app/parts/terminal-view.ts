import { h, type JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { visibleRows } from "../model/visible-rows.ts";
import { keyText, pastedText } from "../terminal/key-text.ts";
import { cssColor, type Look } from "../terminal/looks.ts";
import type { ShownTerminal } from "../terminal/shown-terminal.ts";
import { runsOf, type TerminalLine, type TextRun } from "../terminal/terminal-line.ts";
import { t } from "../texts/texts.ts";

interface TerminalViewOptions {
  readonly shown: ShownTerminal;
  readonly label: string;
  /** Called when the number of columns or rows has changed. */
  onResize(columns: number, rows: number): void;
}

/** Height of a line in CSS pixels: the same as in the style sheet. */
const lineHeight = 18;
/** Letters whose width together is measured: a single one has a fraction of a pixel. */
const probeText = "0".repeat(50);
/** How near to the end the view must be to follow it (CSS pixels). */
const nearEnd = lineHeight;

/** A terminal: it draws the lines that are seen, and sends on what is typed and pasted. */
export function TerminalView({ shown, label, onResize }: TerminalViewOptions): JSX.Element {
  const view = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const probe = useRef<HTMLSpanElement>(null);
  const follows = useRef(true);
  const [place, setPlace] = useState({ scrollTop: 0, height: 600 });
  const { terminal } = shown;
  shown.frame.value;
  const { lines } = terminal;
  const measure = () => {
    const element = view.current;
    const letter = (probe.current?.getBoundingClientRect().width ?? 0) / probeText.length;
    if (!element || letter === 0 || element.clientHeight === 0) return;
    const columns = Math.max(20, Math.floor((element.clientWidth - 24) / letter));
    const rows = Math.max(5, Math.floor((element.clientHeight - 12) / lineHeight));
    setPlace({ scrollTop: element.scrollTop, height: element.clientHeight });
    const { screen } = terminal;
    if (columns === screen.columns && rows === screen.rows) return;
    terminal.resize(columns, rows);
    shown.draw();
    onResize(columns, rows);
  };
  useEffect(() => {
    const observer = new ResizeObserver(measure);
    if (view.current) observer.observe(view.current);
    field.current?.focus({ preventScroll: true });
    return () => observer.disconnect();
  }, [shown]);
  useLayoutEffect(() => {
    const element = view.current;
    if (element && follows.current) element.scrollTop = element.scrollHeight;
  });
  const { from, to } = visibleRows({ count: lines.length, rowHeight: lineHeight, ...place });
  const { screen, modes } = terminal;
  const cursorRow = lines.length - screen.rows + screen.row;
  return h(
    "div",
    {
      class: "terminal",
      ref: view,
      onScroll: ({ currentTarget }: { currentTarget: HTMLElement }) => {
        const { scrollTop, clientHeight, scrollHeight } = currentTarget;
        follows.current = scrollHeight - scrollTop - clientHeight < nearEnd;
        setPlace({ scrollTop, height: clientHeight });
      },
      onMouseUp: () => {
        if (getSelection()?.isCollapsed !== false) field.current?.focus({ preventScroll: true });
      },
    },
    h("span", { class: "terminal-probe", ref: probe, "aria-hidden": "true" }, probeText),
    h(
      "div",
      { class: "terminal-space", style: { height: `${lines.length * lineHeight}px` } },
      h(
        "div",
        { class: "terminal-lines", style: { transform: `translateY(${from * lineHeight}px)` } },
        lines.slice(from, to).map((line, offset) =>
          h(TerminalRow, {
            key: from + offset,
            line,
            version: line.version,
            cursor: modes.showsCursor && from + offset === cursorRow ? screen.column : -1,
          }),
        ),
      ),
      h(TerminalField, { shown, label, field, row: cursorRow }),
    ),
  );
}

interface FieldOptions {
  readonly shown: ShownTerminal;
  readonly label: string;
  readonly field: { current: HTMLTextAreaElement | null };
  readonly row: number;
}

/** What is typed goes through an invisible field at the cursor: input methods open there. */
function TerminalField({ shown, label, field, row }: FieldOptions): JSX.Element {
  const { terminal } = shown;
  const sendTyped = (element: HTMLTextAreaElement) => {
    if (element.value !== "") shown.input(element.value);
    element.value = "";
  };
  return h("textarea", {
    ref: field,
    class: "terminal-field",
    "aria-label": label,
    "aria-description": t().terminalKeys,
    autocapitalize: "off",
    autocomplete: "off",
    autocorrect: "off",
    spellcheck: false,
    rows: 1,
    style: { top: `${row * lineHeight}px`, left: `${terminal.screen.column}ch` },
    onKeyDown: (event: KeyboardEvent) => {
      event.stopPropagation();
      if (event.isComposing) return;
      const text = keyText(event, terminal.modes);
      if (text === undefined) return;
      event.preventDefault();
      shown.input(text);
    },
    onInput: (event: InputEvent) => {
      if (!event.isComposing) sendTyped(event.currentTarget as HTMLTextAreaElement);
    },
    onCompositionEnd: (event: CompositionEvent) =>
      sendTyped(event.currentTarget as HTMLTextAreaElement),
    onPaste: (event: ClipboardEvent) => {
      event.preventDefault();
      shown.input(pastedText(event.clipboardData?.getData("text/plain") ?? "", terminal.modes));
    },
  });
}

interface RowOptions {
  readonly line: TerminalLine;
  /** Changes with the line, which is changed in place. */
  readonly version: number;
  /** The column of the cursor; -1 if it is elsewhere. */
  readonly cursor: number;
}

function TerminalRow({ line, version, cursor }: RowOptions): JSX.Element {
  return useMemo(
    () =>
      h(
        "div",
        { class: "terminal-row" },
        runsOf(line, cursor).map((run, index) => h(Run, { key: index, run })),
      ),
    [line, version, cursor],
  );
}

function Run({ run }: { readonly run: TextRun }): JSX.Element {
  const { text, look, isWide, isCursor } = run;
  const names = [isWide ? "wide" : "", isCursor ? "cursor" : "", look.isBold ? "bold" : ""];
  const name = names.filter(Boolean).join(" ");
  return h("span", { ...(name ? { class: name } : {}), style: styleOf(look) }, text);
}

function styleOf(look: Look): Readonly<Record<string, string>> {
  const color = cssColor(look.foreground);
  const background = cssColor(look.background);
  const lines = [look.isUnderlined ? "underline" : "", look.isStruck ? "line-through" : ""].filter(
    Boolean,
  );
  return {
    ...(color ? { color } : {}),
    ...(background ? { background } : {}),
    ...(look.isInverse
      ? { color: background ?? "var(--panel)", background: color ?? "var(--ink)" }
      : {}),
    ...(look.isFaint ? { opacity: "0.65" } : {}),
    ...(look.isItalic ? { fontStyle: "italic" } : {}),
    ...(lines.length > 0 ? { textDecoration: lines.join(" ") } : {}),
    ...(look.isHidden ? { color: "transparent" } : {}),
  };
}
