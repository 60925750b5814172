import { type ComponentChildren, h, type JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { partsOf } from "../model/ansi.ts";
import type { LogLine } from "../model/log-lines.ts";
import { visibleRows } from "../model/visible-rows.ts";
import { t } from "../texts/texts.ts";
import { Icon } from "./icon.ts";

interface LogViewOptions {
  readonly lines: readonly LogLine[];
  readonly controls: ComponentChildren;
  /** Name of the file to save. */
  readonly name: string;
  readonly isLive: boolean;
  /** Why there are no more lines. */
  readonly note?: string;
}

/** Height of a line in CSS pixels: the same as in the style sheet. */
const lineHeight = 20;
/** How near to the end the view must be to follow it (CSS pixels). */
const nearEnd = 40;

/** Lines of a log with the events between them. It follows the end until the user scrolls away. */
export function LogView({ lines, controls, name, isLive, note }: LogViewOptions): JSX.Element {
  const view = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ scrollTop: 0, height: 600 });
  const [follows, setFollows] = useState(true);
  const [typed, setTyped] = useState("");
  const [showsTimes, setShowsTimes] = useState(true);
  const shown = useMemo(() => {
    const wanted = typed.toLowerCase();
    return wanted === "" ? lines : lines.filter(({ text }) => text.toLowerCase().includes(wanted));
  }, [lines, typed]);
  useLayoutEffect(() => {
    const element = view.current;
    if (element && follows) element.scrollTop = element.scrollHeight;
  }, [shown.length, follows]);
  useEffect(() => {
    const element = view.current;
    if (!element) return;
    const measure = () => setPlace({ scrollTop: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const { from, to } = visibleRows({ count: shown.length, rowHeight: lineHeight, ...place });
  return h(
    "div",
    { class: "log" },
    h(
      "div",
      { class: "toolbar" },
      controls,
      h("input", {
        type: "search",
        "aria-label": t().searchLog,
        placeholder: t().searchLog,
        value: typed,
        onInput: ({ currentTarget }) => setTyped(currentTarget.value),
      }),
      h(
        "label",
        { class: "check" },
        h("input", {
          type: "checkbox",
          checked: showsTimes,
          onChange: ({ currentTarget }) => setShowsTimes(currentTarget.checked),
        }),
        t().times,
      ),
      h("span", { class: "space" }),
      h(
        "span",
        { class: isLive ? "live on" : "live", role: "status" },
        isLive ? t().following : (note ?? t().logEnded),
      ),
      follows ? null : h("button", { onClick: () => setFollows(true) }, t().toEnd),
      h(
        "button",
        {
          class: "quiet icon-button",
          "aria-label": t().download,
          title: t().download,
          onClick: () => save(name, lines),
        },
        h(Icon, { name: "download" }),
      ),
    ),
    h(
      "div",
      {
        class: "log-view",
        ref: view,
        tabIndex: 0,
        role: "log",
        "aria-label": t().logs,
        onScroll: ({ currentTarget }: { currentTarget: HTMLElement }) => {
          const { scrollTop, clientHeight, scrollHeight } = currentTarget;
          setPlace({ scrollTop, height: clientHeight });
          setFollows(scrollHeight - scrollTop - clientHeight < nearEnd);
        },
      },
      h(
        "div",
        { class: "log-space", style: { height: `${shown.length * lineHeight}px` } },
        h(
          "div",
          { style: { transform: `translateY(${from * lineHeight}px)` } },
          shown
            .slice(from, to)
            .map((line, offset) => h(Line, { key: from + offset, line, showsTimes })),
        ),
      ),
      shown.length === 0 ? h("p", { class: "dim log-empty" }, note ?? t().logEmpty) : null,
    ),
  );
}

function Line({
  line,
  showsTimes,
}: {
  readonly line: LogLine;
  readonly showsTimes: boolean;
}): JSX.Element {
  const { ms, text, source, kind } = line;
  return h(
    "div",
    { class: `log-line ${kind}` },
    showsTimes && ms > 0
      ? h("span", { class: "log-time" }, new Date(ms).toISOString().slice(11, 23))
      : null,
    kind === "log" ? null : h("span", { class: "log-source" }, source),
    partsOf(text).map(({ text: part, look }, index) =>
      h("span", { key: index, ...(look ? { class: look } : {}) }, part),
    ),
  );
}

function save(name: string, lines: readonly LogLine[]): void {
  const text = lines
    .map(({ ms, text: line }) => `${ms > 0 ? `${new Date(ms).toISOString()} ` : ""}${line}\n`)
    .join("");
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name}.log`;
  link.click();
  URL.revokeObjectURL(url);
}
