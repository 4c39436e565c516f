// Signs in with the one-time token behind the "#" of a link. Nothing happens before the button is pressed:
// programs that look at links before people do must not use them up.
import { comes } from "./person.js";

const what = document.getElementById("what");
const button = document.getElementById("join");
const token = decodeURIComponent(location.hash.slice(1));

// The token shall stay neither in the history nor on the screen.
history.replaceState(null, "", location.pathname);

const say = (text) => { what.textContent = text; };

async function join() {
  button.disabled = true;
  say("Signing in …");
  try {
    const answer = await fetch("/api/v1/session", {
      method: "POST", credentials: "same-origin",
      headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token })
    });
    if (answer.ok) {
      // Before a page shows or sends what is kept of who was here before.
      await comes((await answer.json()).person.id, { isNew: true }).catch(() => {});
      // Without a view: who has not seen the introduction is shown it first.
      location.replace("/");
      return;
    }
    if (answer.status === 429) {
      say("That was tried too often. Wait a minute, then press again.");
      button.disabled = false;
      return;
    }
    say("This link has been used, or is too old. Ask for another: nearme person link NAME.");
  } catch {
    say("Near Me does not answer. Check that this device is in its network, then press again.");
    button.disabled = false;
  }
}

if (token === "") {
  say("This page needs the whole link, with what stands behind the “#”.");
} else {
  button.disabled = false;
  button.addEventListener("click", join);
  button.focus();
}
