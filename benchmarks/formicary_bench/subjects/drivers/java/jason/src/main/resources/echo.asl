// Answers everything that it is asked with what came with it.

+!echo(Body)[source(Asker)]
    <-  .send(Asker, achieve, answer(Body)).
