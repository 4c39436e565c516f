// A card that is swiped by a finger does what one of its buttons does, and one that is done goes away.

/// So far a finger must have gone; less is a slip, and the card comes back.
const FAR_PX = 96;

/// A finger that presses may slip so far.
const SLIP_PX = 24;

/// The animation's end is not waited for longer than this: a page in the background has none.
const LONGEST_MS = 600;

/// Watches a finger on a card; `right` and `left` are what is done, nothing where there is nothing to do.
///
/// Only touch: with a mouse text is marked. What goes up or down is the page's own.
export function swipes(card, { right, left }) {
  let from = null;
  const end = (isDone) => {
    const dx = from?.dx ?? 0;
    from = null;
    card.style.transform = "";
    delete card.dataset.swipe;
    if (isDone && Math.abs(dx) >= FAR_PX) (dx > 0 ? right : left)?.();
  };
  card.classList.add("swipes");
  card.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch" || !event.isPrimary) return;
    // Who has zoomed in moves the page under the finger.
    if (event.target.closest("input, select, textarea") || (window.visualViewport?.scale ?? 1) > 1.01) return;
    from = { x: event.clientX, y: event.clientY, dx: 0 };
  });
  card.addEventListener("pointermove", (event) => {
    if (!from || !event.isPrimary) return;
    const dx = event.clientX - from.x;
    if (from.dx === 0 && Math.abs(dx) < Math.max(SLIP_PX, 1.5 * Math.abs(event.clientY - from.y))) return;
    from.dx = (dx > 0 ? right : left) ? dx : 0;
    card.style.transform = from.dx === 0 ? "" : `translateX(${from.dx}px)`;
    if (Math.abs(from.dx) >= FAR_PX) card.dataset.swipe = dx > 0 ? "right" : "left";
    else delete card.dataset.swipe;
  });
  card.addEventListener("pointerup", (event) => {
    if (!event.isPrimary) return;
    // What was swiped is not pressed as well.
    if (from && from.dx !== 0) {
      card.addEventListener("click", swallow, { capture: true });
      setTimeout(() => card.removeEventListener("click", swallow, { capture: true }), 50);
    }
    end(true);
  });
  card.addEventListener("pointercancel", () => end(false));
}

function swallow(click) {
  click.preventDefault();
  click.stopPropagation();
}

/// A card is struck through, fades and slides away; answers when it is out of sight. At once, where motion is not wanted.
export async function goesAway(card) {
  navigator.vibrate?.(15);
  if (!card || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  card.classList.add("leaving");
  await new Promise((gone) => {
    card.addEventListener("animationend", gone, { once: true });
    setTimeout(gone, LONGEST_MS);
  });
}
