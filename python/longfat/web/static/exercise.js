// An exercise: its question, the playground with its scenario, and the answer for those who ask.

import { useEffect, useState } from "preact/hooks";
import { ask, html, Trouble } from "./common.js";
import { Playground, useOffer } from "./play.js";

export function Page({ number }) {
  const { offer, trouble } = useOffer();
  const [exercise, setExercise] = useState(null);
  const [problems, setProblems] = useState([]);
  useEffect(() => {
    document.title = `Exercise ${number} – longfat`;
    ask(`/api/exercises/${number}`).then(setExercise, (error) => setProblems(error.problems ?? [error.message]));
  }, [number]);
  const text = exercise && html`<section class="card exercise">
    <h1>${number}. ${exercise.title}</h1>
    <div dangerouslySetInnerHTML=${{ __html: exercise.question }}></div>
    ${exercise.study && html`<p><a href=${`/study/${exercise.study}`}>The study ${exercise.study}</a></p>`}
    <${Answer} key=${number} number=${number} />
  </section>`;
  return html`<${Trouble} problems=${[...problems, ...trouble]} />
    ${text}${exercise?.settings && offer && html`<${Playground} offer=${offer} first=${exercise.settings} />`}`;
}

/** The answer, which the page does not have until it is asked for. */
function Answer({ number }) {
  const [answer, setAnswer] = useState(null);
  const [problems, setProblems] = useState([]);
  const show = () => ask(`/api/exercises/${number}/answer`).then(
    (found) => setAnswer(found.answer), (error) => setProblems(error.problems ?? [error.message]));
  if (answer === null) {
    return html`<${Trouble} problems=${problems} /><p><button type="button" onClick=${show}>Show the answer</button></p>`;
  }
  return html`<h2>Answer</h2><div role="status" dangerouslySetInnerHTML=${{ __html: answer }}></div>`;
}
