// Asks again when the answer has come; the internal actions note the times.

+!ask
    <-  formicary.jason.begin(Partner, Body);
        .send(Partner, achieve, echo(Body)).

+!answer(_) : formicary.jason.more
    <-  !ask.
+!answer(_).
