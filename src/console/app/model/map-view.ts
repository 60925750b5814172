/** What part of the map is seen: a point of the map at the corner of the window, and the scale. */
export interface MapView {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

const minScale = 0.05;
const maxScale = 2.5;

/** The view that shows the whole map, not larger than it is. */
export function fitMap(
  map: { readonly width: number; readonly height: number },
  window: { readonly width: number; readonly height: number },
): MapView {
  const margin = 24;
  const scale = Math.min(
    1,
    Math.max(
      minScale,
      Math.min(
        (window.width - 2 * margin) / Math.max(1, map.width),
        (window.height - 2 * margin) / Math.max(1, map.height),
      ),
    ),
  );
  return { x: -margin / scale, y: -margin / scale, scale };
}

/** The least scale at which names can be read. */
const readableScale = 0.6;

/** The view with which a map opens: whole, but one that is only too wide to be read begins at its left end. */
export function openMap(
  map: { readonly width: number; readonly height: number },
  window: { readonly width: number; readonly height: number },
): MapView {
  const whole = fitMap(map, window);
  const isOnlyWide = map.height * readableScale <= window.height;
  if (whole.scale >= readableScale || !isOnlyWide) return whole;
  const factor = whole.scale / readableScale;
  return { x: whole.x * factor, y: whole.y * factor, scale: readableScale };
}

/** The view after a change of the scale around a point of the window. */
export function zoomAt(
  view: MapView,
  factor: number,
  point: { readonly x: number; readonly y: number },
): MapView {
  const scale = Math.min(maxScale, Math.max(minScale, view.scale * factor));
  return {
    scale,
    x: view.x + point.x / view.scale - point.x / scale,
    y: view.y + point.y / view.scale - point.y / scale,
  };
}
