"""What the test of the page does to a service behind the page's back."""

import random
import shlex
import threading
import urllib.request

from page_browser import check

HOSTILE = "<img src=x onerror=alert(1)>"


def url_of(service):
    return f"http://127.0.0.1:{service.port}"


def must(answer):
    status, said = answer
    check(status in (200, 201), f"the service answers {status}: {said}")
    return said


def stop(service):
    code = service.stop()
    check(code == 0, f"the service ended with {code}: {service.end_of_log()}")


class Traffic:
    """Choices and rewards of a world in which the first arm is the best."""

    def __init__(self, service, bandit, learners):
        self.service, self.bandit, self.learners = service, bandit, learners
        self.random = random.Random(1)
        self.ending = threading.Event()
        self.error = None
        self.thread = threading.Thread(target=self.run, daemon=True)

    def round(self, connection):
        choices = [{"learner": self.random.choice(self.learners)} for _ in range(20)]
        answers = must(connection.call(
            "POST", f"/v1/bandits/{self.bandit}/choices", {"choices": choices}))["results"]
        rewards = [{"decision": answer["decision"],
                    "reward": float(self.random.random() < (0.8 if answer["arm"] == HOSTILE else 0.3))}
                   for answer in answers]
        must(connection.call("POST", f"/v1/bandits/{self.bandit}/rewards", {"rewards": rewards}))

    def run(self):
        connection = self.service.connect()
        try:
            # At most two minutes, whatever happens.
            for _ in range(2400):
                if self.ending.wait(0.05):
                    return
                self.round(connection)
        except BaseException as error:  # told at the end, on the thread of the test
            self.error = error
        finally:
            connection.close()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ending.set()
        self.thread.join(timeout=30)
        check(self.error is None, f"the traffic failed: {self.error!r}")


def run_shell_line(line):
    """Does what a curl line of the page says."""
    words = shlex.split(line.replace("\\\n", " "))
    check(words[0] == "curl", f"not a curl line: {line}")
    method, headers, data, url = "GET", {}, None, None
    rest = iter(words[1:])
    for word in rest:
        if word == "-X":
            method = next(rest)
        elif word == "-H":
            name, value = next(rest).split(":", 1)
            headers[name] = value.strip()
        elif word == "-d":
            data = next(rest).encode()
        else:
            url = word
    request = urllib.request.Request(url, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=20) as answer:
        check(answer.status in (200, 201), f"{line} answered {answer.status}")


def make_world(service):
    must(service.call("PUT", "/v1/bandits/world", {
        "dim": 3, "explore_uniform": 0.3, "exploration": 0.5}))
    must(service.call("POST", "/v1/bandits/world/arms", {"arms": [
        {"arm": HOSTILE, "features": [1, 0, 0]}, {"arm": "b", "features": [0, 1, 0]},
        {"arm": "long-" * 40, "features": [0, 0, 1]}]}))


def make_apprentice(service):
    """Arms with large numbers, contexts and clicks; the caller chooses."""
    largest = 2**64 - 1
    must(service.call("PUT", "/v1/bandits/apprentice", {
        "dim": 1, "arms": "numbers", "context_dim": 2, "rewards": "clicks",
        "mode": "apprentice"}))
    must(service.call("POST", "/v1/bandits/apprentice/arms", {"arms": [
        {"arm": largest, "features": [1]}, {"arm": largest - 1, "features": [-1]}]}))
    for _ in range(20):
        said = must(service.call("POST", "/v1/bandits/apprentice/choose", {
            "context": [0, 1], "own_arm": largest}))
        must(service.call("POST", "/v1/bandits/apprentice/reward", {
            "decision": said["decision"], "reward": 1}))
    return largest
