import { h, type JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { openPage } from "../base/navigation.ts";
import { boxHeight, boxWidth, type MapBox, type MapLayout } from "../model/map-layout.ts";
import { fitMap, type MapView, openMap, zoomAt } from "../model/map-view.ts";
import { objectRoute } from "../model/route.ts";
import { t } from "../texts/texts.ts";

/** Scales below which names, and then boxes' frames, could not be read and are not drawn. */
const nameScale = 0.45;
const frameScale = 0.18;
/** How far a pointer may move in a click (CSS pixels). */
const clickSlop = 4;

const linkOf = ({ key, namespace, name }: MapBox): string => objectRoute(key, { namespace, name });

/** The map, drawn on a canvas: it is moved by dragging, and scaled by the wheel or by keys. */
export function MapCanvas({ layout }: { readonly layout: MapLayout }): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [view, setView] = useState<MapView | undefined>(undefined);
  const [hovered, setHovered] = useState(-1);
  const drag = useRef<{ x: number; y: number; moved: boolean } | undefined>(undefined);
  const size = () => ({
    width: canvas.current?.clientWidth ?? 1,
    height: canvas.current?.clientHeight ?? 1,
  });
  const shown = view ?? openMap(layout, size());
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const paint = () => draw(element, layout, view ?? openMap(layout, size()), hovered);
    const frame = requestAnimationFrame(paint);
    const observer = new ResizeObserver(paint);
    observer.observe(element);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", paint);
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      scheme.removeEventListener("change", paint);
    };
  }, [layout, view, hovered]);
  const boxAt = (event: { readonly offsetX: number; readonly offsetY: number }): number => {
    const [x, y] = [shown.x + event.offsetX / shown.scale, shown.y + event.offsetY / shown.scale];
    return layout.boxes.findIndex(
      (box) => x >= box.x && x <= box.x + boxWidth && y >= box.y && y <= box.y + boxHeight,
    );
  };
  const zoom = (factor: number) => {
    const { width, height } = size();
    setView(zoomAt(shown, factor, { x: width / 2, y: height / 2 }));
  };
  const move = (dx: number, dy: number) =>
    setView({ ...shown, x: shown.x + dx / shown.scale, y: shown.y + dy / shown.scale });
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => move(-60, 0),
      ArrowRight: () => move(60, 0),
      ArrowUp: () => move(0, -60),
      ArrowDown: () => move(0, 60),
      "+": () => zoom(1.25),
      "-": () => zoom(0.8),
      "0": () => setView(fitMap(layout, size())),
    };
    const step = Object.hasOwn(steps, event.key) ? steps[event.key] : undefined;
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    step();
  };
  return h(
    "div",
    { class: "map-frame" },
    h("canvas", {
      ref: canvas,
      class: hovered >= 0 ? "map over" : "map",
      tabIndex: 0,
      role: "img",
      "aria-label": t().mapLabel(layout.boxes.length),
      onKeyDown,
      onWheel: (event: WheelEvent) => {
        event.preventDefault();
        setView(
          zoomAt(shown, Math.exp(-event.deltaY / 400), { x: event.offsetX, y: event.offsetY }),
        );
      },
      onPointerDown: (event: PointerEvent) => {
        canvas.current?.setPointerCapture(event.pointerId);
        drag.current = { x: event.clientX, y: event.clientY, moved: false };
      },
      onPointerMove: (event: PointerEvent) => {
        const from = drag.current;
        if (!from) {
          setHovered(boxAt(event));
          return;
        }
        const [dx, dy] = [from.x - event.clientX, from.y - event.clientY];
        if (!from.moved && Math.hypot(dx, dy) < clickSlop) return;
        drag.current = { x: event.clientX, y: event.clientY, moved: true };
        move(dx, dy);
      },
      onPointerUp: (event: PointerEvent) => {
        const box = drag.current?.moved ? undefined : layout.boxes[boxAt(event)];
        drag.current = undefined;
        if (box) openPage(linkOf(box));
      },
    }),
    h(
      "div",
      { class: "map-controls" },
      h(
        "button",
        { class: "icon-button", "aria-label": t().larger, onClick: () => zoom(1.25) },
        "+",
      ),
      h(
        "button",
        { class: "icon-button", "aria-label": t().smaller, onClick: () => zoom(0.8) },
        "−",
      ),
      h("button", { onClick: () => setView(fitMap(layout, size())) }, t().wholeMap),
    ),
  );
}

/** Colours of the style sheet, as they are now. */
function colorsOf(element: HTMLElement): (name: string) => string {
  const probe = document.createElement("span");
  element.parentElement?.append(probe);
  const known = new Map<string, string>();
  for (const name of [
    "line",
    "strong-line",
    "panel",
    "ink",
    "dim",
    "accent",
    "good",
    "busy",
    "bad",
  ]) {
    probe.style.color = `var(--${name})`;
    known.set(name, getComputedStyle(probe).color);
  }
  probe.remove();
  return (name) => known.get(name) ?? "gray";
}

function draw(canvas: HTMLCanvasElement, layout: MapLayout, view: MapView, hovered: number): void {
  const ratio = devicePixelRatio;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== width * ratio || canvas.height !== height * ratio) {
    canvas.width = width * ratio;
    canvas.height = height * ratio;
  }
  const context = canvas.getContext("2d");
  if (!context) return;
  const color = colorsOf(canvas);
  const { x, y, scale } = view;
  context.setTransform(ratio * scale, 0, 0, ratio * scale, -x * scale * ratio, -y * scale * ratio);
  context.clearRect(x, y, width / scale, height / scale);
  const isSeen = (box: MapBox): boolean =>
    box.x + boxWidth > x &&
    box.x < x + width / scale &&
    box.y + boxHeight > y &&
    box.y < y + height / scale;
  drawEdges(context, layout, hovered, color, scale);
  context.font = `500 12px ${getComputedStyle(canvas).fontFamily}`;
  context.textBaseline = "middle";
  for (const [index, box] of layout.boxes.entries()) {
    if (isSeen(box)) drawBox(context, box, { isHovered: index === hovered, color, scale });
  }
}

function drawEdges(
  context: CanvasRenderingContext2D,
  { boxes, edges }: MapLayout,
  hovered: number,
  color: (name: string) => string,
  scale: number,
): void {
  const path = (wanted: (from: number, to: number) => boolean) => {
    context.beginPath();
    for (const { from, to } of edges) {
      const [a, b] = [boxes[from], boxes[to]];
      if (!a || !b || !wanted(from, to)) continue;
      const [x1, y1, x2, y2] = [a.x + boxWidth, a.y + boxHeight / 2, b.x, b.y + boxHeight / 2];
      const bend = Math.max(20, (x2 - x1) / 2);
      context.moveTo(x1, y1);
      context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
    }
    context.stroke();
  };
  context.lineWidth = Math.max(1, 0.6 / scale);
  context.strokeStyle = color("strong-line");
  path(() => true);
  if (hovered < 0) return;
  context.strokeStyle = color("accent");
  path((from, to) => from === hovered || to === hovered);
}

function drawBox(
  context: CanvasRenderingContext2D,
  box: MapBox,
  options: { readonly isHovered: boolean; readonly scale: number; color(name: string): string },
): void {
  const { isHovered, scale, color } = options;
  const tone = box.tone === "idle" ? "dim" : box.tone;
  if (scale < frameScale) {
    context.fillStyle = color(tone);
    context.fillRect(box.x, box.y, boxWidth, boxHeight);
    return;
  }
  context.beginPath();
  context.roundRect(box.x, box.y, boxWidth, boxHeight, 6);
  context.fillStyle = color("panel");
  context.fill();
  context.lineWidth = isHovered ? 2 : 1;
  context.strokeStyle = color(isHovered ? "accent" : box.tone === "bad" ? "bad" : "line");
  context.stroke();
  context.fillStyle = color(tone);
  context.fillRect(box.x, box.y + 6, 3, boxHeight - 12);
  if (scale < nameScale) return;
  context.fillStyle = color("dim");
  context.fillText(box.kind, box.x + 12, box.y + 10, boxWidth - 20);
  context.fillStyle = color("ink");
  const name = box.name.length > 24 ? `${box.name.slice(0, 23)}…` : box.name;
  context.fillText(name, box.x + 12, box.y + 24, boxWidth - 20);
}
