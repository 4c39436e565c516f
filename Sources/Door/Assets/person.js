// Whose browser this is. What it keeps is one person's: who signs in here after them shall neither see it nor have it
// done in their own name.
import { dropAllBut } from "./queue.js";

const OWNER = "nearme-person";

/// A push service that is not reached shall not keep anybody from coming in.
const PATIENCE_MS = 2_000;

/// Who was signed in here last; null where that is not known.
export const owner = () => localStorage.getItem(OWNER);

/// Somebody is signed in: what is kept of anybody else goes; for who came in just now (`isNew`), what does not say whose
/// it is goes, too.
export async function comes(person, { isNew = false } = {}) {
  if (owner() === person) return;
  if (isNew || owner() !== null) await forget(person);
  localStorage.setItem(OWNER, person);
}

/// Tells when another person than this one has come in on another page of this browser.
export function whenAnotherComes(person, action) {
  addEventListener("storage", ({ key, newValue }) => {
    if (key === OWNER && newValue !== null && newValue !== person) action();
  });
}

/// Forgets all that is kept here, but for the edits of somebody who stays.
export async function forget(person = null) {
  await dropAllBut(person);
  // Without https there are none.
  for (const name of await window.caches?.keys() ?? []) if (name.startsWith("nearme-data")) await caches.delete(name);
  await Promise.race([unsubscribe().catch(() => {}), new Promise((resolve) => { setTimeout(resolve, PATIENCE_MS); })]);
  localStorage.clear();
  sessionStorage.clear();
}

/// The door's next push finds that there is nobody any more.
async function unsubscribe() {
  const registration = await navigator.serviceWorker?.getRegistration();
  const subscription = await registration?.pushManager?.getSubscription();
  await subscription?.unsubscribe();
}
